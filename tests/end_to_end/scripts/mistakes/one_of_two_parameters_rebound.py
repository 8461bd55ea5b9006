"""The update of one of two raw tensors assigns a result; the other one still gets gradients."""

import torch


def train(inputs, targets, w, b, lr=0.1):
    for _ in range(20):
        loss = ((inputs @ w + b - targets) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            w = w - lr * w.grad
            b -= lr * b.grad
            w.grad = b.grad = None
    return loss.item()


torch.manual_seed(0)
data = torch.randn(32, 3)
print(
    train(data, data.sum(1), torch.zeros(3, requires_grad=True), torch.zeros(1, requires_grad=True))
)
