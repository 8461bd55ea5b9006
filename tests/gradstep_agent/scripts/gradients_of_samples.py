"""Gradients of each sample by torch.func, clipped and given to an optimizer."""

import torch
from torch import nn
from torch.func import functional_call, grad, vmap

torch.manual_seed(0)
x, y = torch.randn(8, 3), torch.randn(8, 1)
model = nn.Sequential(nn.Linear(3, 2), nn.Tanh(), nn.Linear(2, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def loss_fn(params, sample, target):
    return nn.functional.mse_loss(functional_call(model, params, (sample,)), target)


for step in range(3):
    params = {name: p.detach() for name, p in model.named_parameters()}
    grads = vmap(grad(loss_fn), in_dims=(None, 0, 0))(params, x, y)
    optimizer.zero_grad()
    for name, p in model.named_parameters():
        p.grad = grads[name].clamp(-1, 1).mean(0)
    optimizer.step()
print(model(x).sum().item())
