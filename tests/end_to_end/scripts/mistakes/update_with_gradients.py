"""The update assigns results that have a graph, so the next Backward gives them no gradient."""

import torch


class Regression:
    def __init__(self):
        self.w = torch.zeros(2, 1, requires_grad=True)
        self.b = torch.zeros(1, requires_grad=True)

    def __call__(self, x):
        return x @ self.w + self.b

    def step(self, lr):
        self.w = self.w - lr * self.w.grad
        self.b = self.b - lr * self.b.grad


torch.manual_seed(0)
x = torch.randn(50, 2)
y = x @ torch.tensor([[2.0], [-1.0]]) + 0.5
model = Regression()
for _ in range(10):
    loss = ((model(x) - y) ** 2).mean()
    loss.backward()
    model.step(0.1)
print(loss.item())
