"""The update assigns results that have a graph, whose gradients the next lines clear."""

import torch

w = torch.tensor([1.0], requires_grad=True)
b = torch.tensor([0.0], requires_grad=True)
x = torch.arange(10.0)
y = 2 * x + 1
for _ in range(5):
    loss = ((w * x + b - y) ** 2).mean()
    loss.backward()
    w = w - 0.01 * w.grad
    b = b - 0.01 * b.grad
    w.grad.zero_()
    b.grad.zero_()
