import torch

torch.manual_seed(0)
x = torch.linspace(-1, 1, 32).unsqueeze(1)
y = 3 * x + 0.5
w = torch.zeros(1, 1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
optimizer = torch.optim.LBFGS([w, b], lr=0.5, max_iter=5, line_search_fn="strong_wolfe")


def closure():
    optimizer.zero_grad()
    loss = (x @ w + b - y).pow(2).mean()
    loss.backward()
    return loss


for step in range(6):
    loss = optimizer.step(closure)
    print(step, loss.item())
