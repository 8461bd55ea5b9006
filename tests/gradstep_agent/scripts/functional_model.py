import torch
from torch import nn
from torch.func import functional_call

torch.manual_seed(0)
model = nn.Linear(3, 1)
x = torch.randn(8, 3)
params = {name: p.detach().clone().requires_grad_() for name, p in model.named_parameters()}
for step in range(4):
    loss = functional_call(model, params, (x,)).pow(2).mean()
    grads = torch.autograd.grad(loss, tuple(params.values()))
    params = {
        name: (p - 0.1 * g).detach().requires_grad_() for (name, p), g in zip(params.items(), grads)
    }
    print(loss.item())
