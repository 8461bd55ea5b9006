import torch

torch.manual_seed(0)
x, y = torch.randn(20, 2), torch.randn(20, 1)
w = torch.zeros(2, 1, requires_grad=True)
for step in range(12):
    loss = ((x @ w - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        0.1 * w.grad
        w.grad.zero_()
