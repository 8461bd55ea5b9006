"""The head is replaced before the model is frozen, so that it is frozen, too."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 10))
model[2] = nn.Linear(8, 2)
for parameter in model.parameters():
    parameter.requires_grad = False
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
x, y = torch.randn(32, 4), torch.randint(0, 2, (32,))
for epoch in range(3):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
