"""Gradients are clipped after the GradScaler has done the Step."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
scaler = torch.amp.GradScaler("cpu", init_scale=256.0)
for step in range(20):
    x = torch.randn(32, 4)
    loss = nn.functional.mse_loss(model(x), 3 * x.sum(1, keepdim=True))
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    nn.utils.clip_grad_norm_(model.parameters(), 0.5)
    scaler.update()
    if step % 5 == 0:
        print(loss.item())
