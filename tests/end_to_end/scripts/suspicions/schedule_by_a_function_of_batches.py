"""A schedule that is to step after each batch makes the learning rate vanish."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 0.5**step)
x, y = torch.randn(256, 4), torch.randn(256, 1)
for epoch in range(6):
    for i in range(0, 256, 16):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x[i : i + 16]), y[i : i + 16])
        loss.backward()
        optimizer.step()
        scheduler.step()
    print(epoch, loss.item(), scheduler.get_last_lr())
