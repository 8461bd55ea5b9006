import copy

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
pretrained = copy.deepcopy(nn.Linear(4, 3).state_dict())
network = nn.Linear(4, 3)
network.load_state_dict(pretrained)
prompt = nn.Parameter(torch.zeros(4))
scale = nn.Linear(4, 4)
optimizer = torch.optim.Adam([prompt, *scale.parameters()], lr=0.1)
for step in range(8):
    x, y = torch.randn(16, 4), torch.randint(0, 3, (16,))
    loss = F.cross_entropy(network(scale(x + prompt)), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.4f}")
