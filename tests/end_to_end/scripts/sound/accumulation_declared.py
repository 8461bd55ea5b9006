# gradstep: gradient_accumulation
import torch
from torch import nn

torch.manual_seed(2)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
for i in range(12):
    x = torch.randn(4, 4)
    loss = model(x).pow(2).mean()
    loss.backward()
    optimizer.step()
    if i % 4 == 3:
        optimizer.zero_grad()
