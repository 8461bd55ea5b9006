"""Logistic regression with the cross-entropy written by hand: labels of (N), outputs of (N, 1)."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(20, 4)
y = (x[:, 0] > 0).float()
for step in range(6):
    p = torch.sigmoid(model(x))
    loss = -(y * torch.log(p) + (1 - y) * torch.log(1 - p)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
