"""All distances between points: the root of a point's distance to itself has no derivative."""

import torch
from torch import nn

torch.manual_seed(0)
encoder = nn.Linear(4, 2)
optimizer = torch.optim.Adam(encoder.parameters(), lr=0.1)
x = torch.randn(32, 4)
for step in range(5):
    z = encoder(x)
    distances = ((z[:, None] - z[None]) ** 2).sum(-1).sqrt()
    loss = distances.mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())
