"""The scheduler is created for one of two optimizers, and the loop steps the other one."""

import torch
from torch import nn
from torch.optim import lr_scheduler

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
optimizer_ft = torch.optim.SGD(model.parameters(), lr=0.001, momentum=0.9)
exp_lr_scheduler = lr_scheduler.StepLR(optimizer_ft, step_size=2, gamma=0.1)
x, y = torch.randn(64, 4), torch.randn(64, 1)
for epoch in range(6):
    for i in range(0, 64, 16):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x[i : i + 16]), y[i : i + 16])
        loss.backward()
        optimizer.step()
    exp_lr_scheduler.step()
    print(epoch, loss.item())
