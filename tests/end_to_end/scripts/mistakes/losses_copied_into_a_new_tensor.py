"""The losses of several tasks are copied into a new tensor, which has no graph."""

import torch
from torch import nn

torch.manual_seed(0)
body = nn.Linear(4, 8)
heads = nn.ModuleList([nn.Linear(8, 1) for _ in range(3)])
opt = torch.optim.Adam([*body.parameters(), *heads.parameters()], lr=1e-2)
x = torch.randn(32, 4)
targets = [torch.randn(32, 1) for _ in range(3)]
for step in range(5):
    opt.zero_grad()
    features = torch.relu(body(x))
    losses = [
        nn.functional.mse_loss(head(features), target) for head, target in zip(heads, targets)
    ]
    loss = torch.tensor(losses, requires_grad=True).sum()
    loss.backward()
    opt.step()
