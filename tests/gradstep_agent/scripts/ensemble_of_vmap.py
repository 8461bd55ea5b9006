"""Several models at once by torch.func: stacked parameters, vmap, grad, and a hand-written update."""

import torch
from torch import nn
from torch.func import functional_call, grad, grad_and_value, stack_module_state, vmap

torch.manual_seed(0)
models = [nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1)) for _ in range(3)]
params, buffers = stack_module_state(models)
base = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1)).to("meta")
x, y = torch.randn(8, 2), torch.randn(8, 1)


def loss_fn(p, b, inputs, targets):
    return nn.functional.mse_loss(functional_call(base, (p, b), (inputs,)), targets)


for step in range(3):
    grads, losses = vmap(grad_and_value(loss_fn), in_dims=(0, 0, None, None))(params, buffers, x, y)
    with torch.no_grad():
        params = {name: params[name] - 0.1 * grads[name] for name in params}
    print([round(v, 5) for v in losses.tolist()])

own = dict(models[0].named_parameters())
optimizer = torch.optim.SGD(own.values(), lr=0.1)
for step in range(2):
    optimizer.zero_grad()
    loss = functional_call(models[0], own, (x,)).pow(2).mean()
    loss.backward()
    optimizer.step()
    print(loss.item())
print(grad(lambda t: t.sin())(torch.tensor(0.0)).item())
