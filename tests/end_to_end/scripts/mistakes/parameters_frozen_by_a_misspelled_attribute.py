"""The parameters get a new attribute, require_grad, instead of requires_grad."""

import torch
from torch import nn

torch.manual_seed(0)
backbone = nn.Sequential(nn.Linear(4, 8), nn.ReLU())
for param in backbone.parameters():
    param.require_grad = False
head = nn.Linear(8, 2)
optimizer = torch.optim.SGD([*backbone.parameters(), *head.parameters()], lr=0.1)
criterion = nn.CrossEntropyLoss()
x, y = torch.randn(32, 4), torch.randint(0, 2, (32,))
for epoch in range(6):
    optimizer.zero_grad()
    loss = criterion(head(backbone(x)), y)
    loss.backward()
    optimizer.step()
    print(epoch, loss.item())
