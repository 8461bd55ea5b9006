import torch
from torch import nn

torch.manual_seed(0)
trunk = nn.Linear(4, 8)
heads = nn.ModuleList([nn.Linear(8, 1), nn.Linear(8, 3)])
optimizer = torch.optim.Adam([*trunk.parameters(), *heads.parameters()], lr=1e-2)
for step in range(10):
    task = step % 2
    out = heads[task](trunk(torch.randn(8, 4)).relu())
    loss = (
        out.pow(2).mean()
        if task == 0
        else nn.functional.cross_entropy(out, torch.randint(0, 3, (8,)))
    )
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
