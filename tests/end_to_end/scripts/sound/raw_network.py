import torch

torch.manual_seed(0)
x, y = torch.randn(64, 3), torch.randn(64, 1)
w1 = torch.randn(3, 5, requires_grad=True)
w2 = torch.randn(5, 1, requires_grad=True)
lr = 1e-3
for t in range(12):
    y_pred = x.mm(w1).clamp(min=0).mm(w2)
    loss = (y_pred - y).pow(2).sum()
    loss.backward()
    with torch.no_grad():
        w1 -= lr * w1.grad
        w2 -= lr * w2.grad
        w1.grad.zero_()
        w2.grad.zero_()
print(loss.item())
