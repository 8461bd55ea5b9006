"""An ensemble: each network has its own optimizer, and one line differentiates all their losses."""

import torch
from torch import nn

torch.manual_seed(0)
nets = [nn.Linear(3, 1) for _ in range(3)]
optimizers = [torch.optim.SGD(net.parameters(), lr=0.1) for net in nets]
for epoch in range(12):
    x = torch.randn(8, 3)
    for net, optimizer in zip(nets, optimizers, strict=True):
        loss = (net(x) - x[:, :1]).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
