"""A network that is in evaluation mode but for its head, which is trained and evaluated by turns."""

import torch
from torch import nn

torch.manual_seed(0)
backbone = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU())
model = nn.Sequential(backbone, nn.Sequential(nn.Dropout(0.1), nn.Linear(8, 1)))
for parameter in backbone.parameters():
    parameter.requires_grad_(False)
optimizer = torch.optim.SGD(model[1].parameters(), lr=0.01)
x = torch.randn(32, 4)
y = x[:, :1]
print(model(x).mean().item())
for epoch in range(3):
    model.eval()
    model[1].train()
    for step in range(3):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        print(epoch, nn.functional.mse_loss(model(x), y).item())
