"""The update of raw tensors assigns a result, whose gradient the next line clears."""

import torch

torch.manual_seed(0)
inputs = torch.randn(32, 3)
targets = inputs @ torch.tensor([1.0, -2.0, 0.5])
w = torch.zeros(3, requires_grad=True)
lr = 0.1

for _ in range(20):
    loss = ((inputs @ w - targets) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w = w - lr * w.grad
    w.grad.zero_()
print(loss.item())
