"""Adam divides by the size of its gradients: a sum of batches moves it like their mean."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(64, 4)
y = x.sum(1, keepdim=True)
model = nn.Linear(4, 1)
criterion = nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
accumulate = 4
for epoch in range(3):
    for i, rows in enumerate(torch.arange(64).split(8)):
        loss = criterion(model(x[rows]), y[rows])
        loss.backward()
        if (i + 1) % accumulate == 0:
            optimizer.step()
            optimizer.zero_grad()
