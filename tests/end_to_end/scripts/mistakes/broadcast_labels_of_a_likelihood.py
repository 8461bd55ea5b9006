"""A likelihood by hand of outputs of shape (N) and labels of shape (N, 1)."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(20, 4)
y = (x[:, :1] > 0).float()
for step in range(6):
    p = torch.sigmoid(model(x)).squeeze(1)
    likelihood = (
        y * torch.log(p)  # of the first class
        + (1 - y) * torch.log(1 - p)
    )
    loss = -likelihood.mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
