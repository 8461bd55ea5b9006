import torch
from torch import nn

torch.manual_seed(0)
trunk, head = nn.Linear(4, 8), nn.Linear(8, 1)
trunk_opt = torch.optim.SGD(trunk.parameters(), lr=0.01)
head_opt = torch.optim.SGD(head.parameters(), lr=0.1)
for i in range(12):
    x = torch.randn(16, 4)
    loss = (head(torch.relu(trunk(x))) - x.sum(1, keepdim=True)).pow(2).mean()
    trunk_opt.zero_grad()
    head_opt.zero_grad()
    loss.backward()
    head_opt.step()
    if i >= 20:
        trunk_opt.step()
print(loss.item())
