import torch

torch.manual_seed(0)
x, y = torch.randn(20, 2), torch.randn(20, 1)
w = torch.zeros(2, 1, requires_grad=True)
for step in range(5):
    loss = ((x @ w - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
