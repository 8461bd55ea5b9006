"""A module that computes the loss is trained; the network in it is evaluated alone."""

import torch
from torch import nn


class WithLoss(nn.Module):
    def __init__(self, net, criterion):
        super().__init__()
        self.net, self.criterion = net, criterion

    def forward(self, x, y):
        return self.criterion(self.net(x), y)


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.Dropout(0.1), nn.Linear(16, 1))
full = WithLoss(net, nn.MSELoss())
optimizer = torch.optim.Adam(full.parameters(), lr=1e-2)
x = torch.randn(64, 8)
y = x[:, :1]
for epoch in range(4):
    full.train()
    for i in torch.randperm(64).split(16):
        optimizer.zero_grad()
        loss = full(x[i], y[i])
        loss.backward()
        optimizer.step()
    net.eval()
    with torch.no_grad():
        print(epoch, nn.functional.mse_loss(net(x), y).item())
    net.train()
