import torch
from torch import nn
from torch.func import functional_call, grad, vmap

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
params = dict(net.named_parameters())
optimizer = torch.optim.Adam(params.values(), lr=0.01)


def fit(params, x, y):
    return nn.functional.mse_loss(functional_call(net, params, (x,)), y)


def after_one_step(x1, y1, x2, y2):
    grads = grad(fit)(params, x1, y1)
    return fit({name: params[name] - 0.1 * grads[name] for name in params}, x2, y2)


for step in range(4):
    x = torch.rand(2, 3, 5, 1)
    y = torch.sin(6 * x)
    loss = vmap(after_one_step)(x[0], y[0], x[1], y[1]).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
