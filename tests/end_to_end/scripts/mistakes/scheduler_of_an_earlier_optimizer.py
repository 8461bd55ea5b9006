"""The optimizer is exchanged for another one after the scheduler was created for it."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.1)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
x, y = torch.randn(64, 4), torch.randn(64, 1)
for epoch in range(6):
    for i in range(0, 64, 16):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x[i : i + 16]), y[i : i + 16])
        loss.backward()
        optimizer.step()
    scheduler.step()
    print(epoch, loss.item())
