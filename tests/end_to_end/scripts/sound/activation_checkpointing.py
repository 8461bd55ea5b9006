import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)
first = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 8))
last = nn.Linear(8, 1)
opt = torch.optim.SGD([*first.parameters(), *last.parameters()], lr=0.05)
for step in range(6):
    x = torch.randn(8, 4)
    hidden = checkpoint(first, x, use_reentrant=False)
    loss = last(hidden).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
