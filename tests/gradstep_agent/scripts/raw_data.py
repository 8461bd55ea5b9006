import torch

torch.manual_seed(3)
x = torch.randn(20, 2)
y = x.sum(1, keepdim=True)
w = torch.zeros(2, 1, requires_grad=True)
for step in range(5):
    error = (x @ w - y).pow(2).mean()
    error.backward()
    w.data -= 0.1 * w.grad.data
    w.grad.data.zero_()
print(w, error.item())
