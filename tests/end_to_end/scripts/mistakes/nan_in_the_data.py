"""A row that could not be read is NaN, and so is the loss of its batch."""

import torch
from torch import nn

torch.manual_seed(0)
x, y = torch.randn(64, 4), torch.randn(64, 1)
x[40, 2] = float("nan")
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for i in range(0, 64, 8):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x[i : i + 8]), y[i : i + 8])
    loss.backward()
    optimizer.step()
