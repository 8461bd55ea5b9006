import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(32, 4)
y = x.sum(1, keepdim=True)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for epoch in range(2):
    total_loss = 0.0
    for i in range(0, 32, 4):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x[i : i + 4]), y[i : i + 4])
        loss.backward()
        optimizer.step()
        total_loss += loss
    print(total_loss.item() / 8)
