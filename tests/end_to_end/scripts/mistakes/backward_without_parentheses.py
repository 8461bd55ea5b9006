"""backward is only named, and never called."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(8):
    x = torch.randn(8, 4)
    loss = (model(x) - 1).pow(2).mean()
    optimizer.zero_grad()
    loss.backward
    optimizer.step()
    print(step, loss.item())
