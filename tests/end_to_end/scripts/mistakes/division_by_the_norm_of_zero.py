"""The outputs begin as 0, and are divided by their norm."""

import torch
from torch import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 2)
model = nn.Linear(4, 2, bias=False)
nn.init.zeros_(model.weight)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(5):
    optimizer.zero_grad()
    z = model(x)
    z = z / z.norm(dim=1, keepdim=True)
    loss = ((z - y) ** 2).mean()
    loss.backward()
    optimizer.step()
