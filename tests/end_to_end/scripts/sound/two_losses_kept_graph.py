import torch
from torch import nn

torch.manual_seed(0)
trunk = nn.Linear(4, 6)
head_a, head_b = nn.Linear(6, 1), nn.Linear(6, 1)
opt = torch.optim.Adam(
    [
        {"params": trunk.parameters(), "lr": 1e-3},
        {"params": [*head_a.parameters(), *head_b.parameters()]},
    ],
    lr=1e-2,
)
for step in range(6):
    h = trunk(torch.randn(8, 4)).relu()
    loss_a, loss_b = head_a(h).pow(2).mean(), (head_b(h) - 1).pow(2).mean()
    opt.zero_grad()
    loss_a.backward(retain_graph=True)
    loss_b.backward()
    opt.step()
