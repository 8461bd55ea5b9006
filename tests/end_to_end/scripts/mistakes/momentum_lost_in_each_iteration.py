"""The optimizer is made in the loop over batches, so that its momentum never builds up."""

import torch
from torch import nn

torch.manual_seed(0)
x, y = torch.randn(60, 3), torch.randn(60, 1)
model = nn.Linear(3, 1)
for epoch in range(2):
    for start in range(0, 60, 20):
        optimizer = torch.optim.SGD(
            model.parameters(),
            lr=0.01,
            momentum=0.9,
        )
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x[start : start + 20]), y[start : start + 20])
        loss.backward()
        optimizer.step()
