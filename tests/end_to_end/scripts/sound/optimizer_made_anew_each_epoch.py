import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
for epoch in range(3):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1 / (epoch + 1), momentum=0.9)
    for _ in range(3):
        x = torch.randn(8, 4)
        optimizer.zero_grad()
        loss = (model(x) - x.sum(1, keepdim=True)).pow(2).mean()
        loss.backward()
        optimizer.step()
