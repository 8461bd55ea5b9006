"""An update in a function of its own gives a new value to its variable, and then clears that."""

import torch
from torch import nn


def sgd(params, lr, batch_size):
    with torch.no_grad():
        for param in params:
            param = param - lr * param.grad / batch_size
            param.grad.zero_()


torch.manual_seed(0)
model = nn.Linear(4, 1)
x, y = torch.randn(64, 4), torch.randn(64, 1)
for epoch in range(20):
    loss = nn.functional.mse_loss(model(x), y, reduction="sum")
    loss.backward()
    sgd(model.parameters(), 0.1, 64)
print(loss.item())
