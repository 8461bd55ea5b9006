import copy

import torch
from torch import nn

torch.manual_seed(0)
student = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Linear(4, 2))
teacher = copy.deepcopy(student)
for p in teacher.parameters():
    p.requires_grad_(False)
teacher.eval()
opt = torch.optim.SGD(student.parameters(), lr=0.05, momentum=0.9)
for it in range(10):
    x = torch.randn(16, 4)
    with torch.no_grad():
        target = teacher(x)
    loss = nn.functional.mse_loss(student(x), target)
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        for a, b in zip(teacher.parameters(), student.parameters()):
            a.mul_(0.99).add_(b, alpha=0.01)
