"""All parameters of a model are updated by hand, and their gradients are never cleared."""

import torch
from torch import nn

torch.manual_seed(0)
x, y = torch.randn(60, 3), torch.randn(60, 1)
model = nn.Linear(3, 1)
for step in range(5):
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    with torch.no_grad():
        for p in model.parameters():
            p -= 0.01 * p.grad
