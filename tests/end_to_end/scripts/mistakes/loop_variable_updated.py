"""The update by hand gives a new value to the variable of the loop, not to the parameter."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
x, y = torch.randn(64, 4), torch.randn(64, 1)
lr = 0.1
for epoch in range(20):
    loss = nn.functional.mse_loss(model(x), y)
    model.zero_grad()
    loss.backward()
    with torch.no_grad():
        for p in model.parameters():
            p = p - lr * p.grad
    print(epoch, loss.item())
