"""The last layer of a regression is a ReLU that no row makes active."""

import torch
from torch import nn

torch.manual_seed(0)
x, y = torch.randn(64, 4), torch.rand(64, 1)
model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1), nn.ReLU())
nn.init.constant_(model[2].bias, -5.0)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for step in range(24):
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
