import torch
import torch.nn.functional as F

torch.manual_seed(0)
x = torch.randn(32, 4)
y = x.sum(1, keepdim=True)

w = torch.randn(4, 1, requires_grad=True)
for _ in range(4):
    loss = F.mse_loss(x @ w, y)
    (g,) = torch.autograd.grad(loss, w)
    with torch.no_grad():
        w -= 0.1 * g
print(loss.item())
