import torch
from torch import nn

torch.manual_seed(0)
trunk = nn.Linear(5, 8)
heads = nn.ModuleList([nn.Linear(8, 1), nn.Linear(8, 3)])
criteria = [nn.MSELoss(), nn.CrossEntropyLoss()]
optimizer = torch.optim.Adam([*trunk.parameters(), *heads.parameters()], lr=1e-2)
for step in range(12):
    task = step % 2
    x = torch.randn(16, 5)
    target = x.sum(1, keepdim=True) if task == 0 else torch.randint(0, 3, (16,))
    loss = criteria[task](heads[task](torch.relu(trunk(x))), target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.4f}")
