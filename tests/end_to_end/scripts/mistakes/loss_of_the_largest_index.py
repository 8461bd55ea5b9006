import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(32, 4)
y = (x.sum(1) > 0).long()
model = nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
for epoch in range(10):
    optimizer.zero_grad()
    predicted = model(x).max(1)[1]
    loss = (predicted != y).float().mean()
    loss.requires_grad = True
    loss.backward()
    optimizer.step()
    print(epoch, loss.item())
