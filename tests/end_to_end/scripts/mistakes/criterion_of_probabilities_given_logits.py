"""The last layer has no sigmoid, which BCELoss leaves to the model."""

import torch
from torch import nn

torch.manual_seed(0)
x, y = torch.randn(32, 4), torch.randint(0, 2, (32, 1)).float()
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
criterion = nn.BCELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(5):
    optimizer.zero_grad()
    loss = criterion(model(x), y)
    loss.backward()
    optimizer.step()
