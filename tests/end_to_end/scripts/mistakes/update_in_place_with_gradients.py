"""Parameters are updated in place, and no_grad() is missing."""

import torch


def sgd(params, lr):
    for p in params:
        p -= lr * p.grad
        p.grad.zero_()


torch.manual_seed(0)
x = torch.randn(50, 2)
y = x @ torch.tensor([[2.0], [-1.0]]) + 0.5
w, b = torch.zeros(2, 1, requires_grad=True), torch.zeros(1, requires_grad=True)
for _ in range(10):
    loss = ((x @ w + b - y) ** 2).mean()
    loss.backward()
    sgd([w, b], 0.1)
print(loss.item())
