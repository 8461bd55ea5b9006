"""The milestones are epochs, but a function steps the schedule after each batch."""

import torch
from torch import nn
from torch.optim.lr_scheduler import StepLR


def train(model, batches, optimizer, scheduler):
    total = 0.0
    for inputs, targets in batches:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(inputs), targets)
        loss.backward()
        optimizer.step()
        scheduler.step()
        total += loss.item()
    return total / len(batches)


torch.manual_seed(0)
x = torch.randn(400, 4)
y = x @ torch.tensor([[1.0], [2.0], [3.0], [4.0]])
batches = [(x[i : i + 10], y[i : i + 10]) for i in range(0, 400, 10)]
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
scheduler = StepLR(optimizer, step_size=10, gamma=0.1)
for epoch in range(3):
    print(epoch, train(model, batches, optimizer, scheduler))
