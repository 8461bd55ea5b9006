"""A function that trains on one batch, and makes its optimizer itself."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
X, Y = torch.randn(60, 3), torch.randn(60, 1)


def train_step(x, y):
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
    return loss.item()


for epoch in range(3):
    for i in range(0, 60, 10):
        last = train_step(X[i : i + 10], Y[i : i + 10])
    print(last)
