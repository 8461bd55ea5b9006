"""Gradient accumulation over 4 batches, of which an epoch has 10: two are left at its end."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(10, 20), nn.ReLU(), nn.Linear(20, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
criterion = nn.CrossEntropyLoss()
data = [(torch.randn(8, 10), torch.randint(0, 2, (8,))) for _ in range(10)]
accumulation_steps = 4

for epoch in range(3):
    for i, (inputs, labels) in enumerate(data):
        loss = criterion(model(inputs), labels) / accumulation_steps
        loss.backward()
        if (i + 1) % accumulation_steps == 0:
            optimizer.step()
            optimizer.zero_grad()
    print(epoch, loss.item())
