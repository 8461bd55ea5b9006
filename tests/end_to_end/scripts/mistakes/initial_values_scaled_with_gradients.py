"""The weights are results of the tensors that require a gradient, because they are scaled."""

import torch

torch.manual_seed(0)
x, y = torch.randn(64, 10), torch.randn(64, 1)
w1 = torch.randn(10, 20, requires_grad=True) * 0.1
w2 = torch.randn(20, 1, requires_grad=True).mul(0.1)
for t in range(5):
    loss = ((x @ w1).clamp(min=0) @ w2 - y).pow(2).mean()
    loss.backward()
    with torch.no_grad():
        w1 -= 1e-2 * w1.grad
        w2 -= 1e-2 * w2.grad
        w1.grad = None
        w2.grad = None
print(loss.item())
