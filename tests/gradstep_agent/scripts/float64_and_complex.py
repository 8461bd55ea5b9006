"""Double precision by default, complex parameters, and an option that is a tensor."""

import torch
from torch import nn

torch.set_default_dtype(torch.float64)
torch.manual_seed(0)
phase = nn.Parameter(torch.randn(3, dtype=torch.cfloat))
gain = nn.Parameter(torch.ones(3))
half = nn.Parameter(torch.ones(3, dtype=torch.bfloat16))
opt = torch.optim.Adam(
    [{"params": [phase, gain]}, {"params": [half], "lr": torch.tensor(0.05)}], lr=0.1, foreach=False
)
for step in range(4):
    opt.zero_grad()
    out = gain * phase.abs() + half.double()
    loss = (out - 2).pow(2).sum()
    loss.backward()
    opt.step()
    print(loss.item(), phase.detach().abs().sum().item())
