import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn(32, 4)
y = x.sum(1, keepdim=True)

import sys

model = nn.Linear(4, 1)
loss = model(x).mean()
loss.backward()
print(loss.item())
sys.exit(3)
