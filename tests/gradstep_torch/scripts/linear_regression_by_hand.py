import torch

torch.manual_seed(0)
x = torch.linspace(0, 1, 20).unsqueeze(1)
y = 3 * x + 2 + 0.1 * torch.randn(20, 1)
w = torch.randn(1, 1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
for epoch in range(100):
    loss = ((x @ w + b - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        b -= 0.1 * b.grad
        w.grad.zero_()
        b.grad = None
    if epoch % 20 == 0:
        print(f"epoch {epoch}: loss {loss.item():.4f}")
print(w.shape, b.requires_grad, w.is_leaf, loss.grad_fn is not None)
print(f"{w.item():.3f} {b.item():.3f}")
