"""Parameters that are updated by hand, and called in functions that torch.func transforms."""

import torch
from torch import nn
from torch.func import functional_call, grad, jacrev, vmap

torch.manual_seed(0)
x, y = torch.randn(8, 3), torch.randn(8, 1)
model = nn.Sequential(nn.Linear(3, 2), nn.Tanh(), nn.Linear(2, 1))


def loss_fn(params):
    return nn.functional.mse_loss(functional_call(model, params, (x,)), y)


for step in range(2):
    model.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    with torch.no_grad():
        for p in model.parameters():
            p -= 0.1 * p.grad
    print(loss.item())
for step in range(3):
    params = dict(model.named_parameters())
    grads = grad(loss_fn)(params)
    with torch.no_grad():
        for name, p in params.items():
            p -= 0.1 * grads[name]
    print(vmap(jacrev(model))(x).sum().item())
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(2):
    grads = grad(loss_fn)(dict(model.named_parameters()))
    optimizer.zero_grad()
    for name, p in model.named_parameters():
        p.grad = grads[name]
    optimizer.step()
print(model(x).sum().item())
