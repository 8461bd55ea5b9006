import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(10):
    x = torch.randn(8, 4) * (1e30 if step in (0, 4, 5) else 1)
    optimizer.zero_grad()
    loss = model(x).pow(2).mean()
    if not torch.isfinite(loss):
        continue
    loss.backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), 5.0)
    if norm > 1.2:
        optimizer.zero_grad()
        continue
    optimizer.step()
