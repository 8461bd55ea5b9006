"""A cross entropy by hand, whose probabilities become 0 as the training goes on."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(64, 3) * 40
y = torch.randint(0, 2, (64,))
model = nn.Linear(3, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
for step in range(6):
    probabilities = torch.softmax(model(x), 1)
    loss = -torch.log(probabilities[torch.arange(64), y]).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())
