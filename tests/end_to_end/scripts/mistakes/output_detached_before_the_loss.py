"""The output is detached and made to require a gradient: the loss trains the output alone."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.05)
x, y = torch.randn(16, 4), torch.randn(16, 1)
for _ in range(5):
    out = net(x).detach()
    out.requires_grad_()
    loss = ((out - y) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
