"""Each task adapts a copy of the model with an optimizer of its own, one step each."""

import copy

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
for task in range(6):
    learner = copy.deepcopy(model)
    inner = torch.optim.Adam(learner.parameters(), lr=0.01)
    x, y = torch.randn(10, 3), torch.randn(10, 1)
    inner.zero_grad()
    loss = nn.functional.mse_loss(learner(x), y)
    loss.backward()
    inner.step()
    with torch.no_grad():
        for old, new in zip(model.parameters(), learner.parameters(), strict=True):
            old += 0.5 * (new - old)
    print(loss.item())
