"""No element of one batch is chosen, and the mean of nothing is NaN."""

import torch
from torch import nn

torch.manual_seed(0)
x, y = torch.randn(64, 4), torch.linspace(2.0, -2.0, 64).unsqueeze(1)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for i in range(0, 64, 8):
    optimizer.zero_grad()
    batch = y[i : i + 8]
    chosen = batch > 0
    loss = ((model(x[i : i + 8]) - batch)[chosen] ** 2).mean()
    loss.backward()
    optimizer.step()
