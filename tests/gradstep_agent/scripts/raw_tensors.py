import torch

torch.manual_seed(3)
x = torch.randn(20, 2)
y = x @ torch.tensor([[1.0], [-2.0]]) + 0.5
w = torch.zeros(2, 1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
for step in range(5):
    loss = ((x @ w + b - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        b -= 0.1 * b.grad
        w.grad = None
        b.grad = None
    print(step, loss.item())
