import copy

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
model, learned = nn.Linear(4, 1), nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
outer = torch.optim.SGD(learned.parameters(), lr=0.01)
for task in range(3):
    fast = copy.deepcopy(model)
    inner = torch.optim.SGD(fast.parameters(), lr=0.05)
    x, y = torch.randn(16, 4), torch.randn(16, 1)
    for step in range(6):
        loss = learned(torch.cat([fast(x), y], 1)).pow(2).mean()
        inner.zero_grad()
        loss.backward()
        inner.step()
    outer.zero_grad()
    judged = learned(torch.cat([fast(x).detach(), y], 1))
    (judged - F.mse_loss(fast(x), y).detach()).pow(2).mean().backward()
    outer.step()
