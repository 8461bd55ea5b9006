import torch

torch.manual_seed(0)
w = torch.randn(4, 1, requires_grad=True)
lr = 0.05
X = torch.randn(64, 4)
y = X.sum(1, keepdim=True)
for epoch in range(10):
    loss = ((X @ w - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w = w - lr * w.grad
    w.grad = None
