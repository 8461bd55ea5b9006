"""A softmax by hand of large numbers: exp gives infinity, and infinity by infinity is NaN."""

import torch
from torch import nn

torch.manual_seed(0)
x, y = 100 * torch.rand(16, 4), torch.rand(16, 1)
model = nn.Linear(4, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(5):
    optimizer.zero_grad()
    powers = torch.exp(5 * model(x))
    p = powers / powers.sum(1, keepdim=True)
    loss = ((p[:, :1] - y) ** 2).mean()
    loss.backward()
    optimizer.step()
