import copy
from collections import OrderedDict

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


class SineModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.model = nn.Sequential(
            OrderedDict([("l1", nn.Linear(1, 10)), ("relu1", nn.ReLU()), ("l2", nn.Linear(10, 1))])
        )

    def forward(self, x):
        return self.model(x)

    def parameterised(self, x, weights):
        x = F.linear(x, weights[0], weights[1])
        x = F.relu(x)
        return F.linear(x, weights[2], weights[3])


def task():
    amplitude, phase = torch.rand(1) * 4 + 0.1, torch.rand(1) * torch.pi

    def sample(k):
        x = torch.rand(k, 1) * 10 - 5
        return x, amplitude * torch.sin(x + phase)

    return sample


model = SineModel()
weights = list(model.parameters())
meta_optimiser = torch.optim.Adam(weights, 1e-2)
inner_lr = 0.01


def inner_loop(task, create_graph=True):
    temp_weights = [w.clone() for w in weights]
    x, y = task(5)
    for step in range(2):
        loss = nn.functional.mse_loss(model.parameterised(x, temp_weights), y) / 5
        grad = torch.autograd.grad(loss, temp_weights, create_graph=create_graph)
        temp_weights = [w - inner_lr * g for w, g in zip(temp_weights, grad)]
    x, y = task(5)
    return nn.functional.mse_loss(model.parameterised(x, temp_weights), y) / 5


for iteration in range(5):
    meta_loss = 0
    for i in range(3):
        meta_loss += inner_loop(task())
    meta_grads = torch.autograd.grad(meta_loss, weights)
    for w, g in zip(weights, meta_grads):
        w.grad = g
    meta_optimiser.step()
    print(
        iteration, f"{meta_loss.item() / 3:.5f}", f"{sum(g.norm() for g in meta_grads).item():.5f}"
    )
# second order is not first order
torch.manual_seed(5)
t = task()
torch.manual_seed(6)
so = torch.autograd.grad(inner_loop(t), weights)
torch.manual_seed(6)
fo = torch.autograd.grad(inner_loop(t, create_graph=False), weights)
print([round((a - b).norm().item(), 5) for a, b in zip(so, fo)])
# Reptile
fast = copy.deepcopy(model)
opt = torch.optim.SGD(fast.parameters(), lr=0.02)
x, y = t(10)
for _ in range(3):
    opt.zero_grad()
    F.mse_loss(fast(x), y).backward()
    opt.step()
with torch.no_grad():
    for p, q in zip(model.parameters(), fast.parameters()):
        p += 0.5 * (q - p)
print(model.model.l2.bias, fast.model.l2.bias)
# the same by functional_call
params = dict(model.named_parameters())
out = torch.func.functional_call(model, params, (x,))
grads = torch.autograd.grad(F.mse_loss(out, y), params.values(), create_graph=True)
new = {k: p - 0.01 * g for (k, p), g in zip(params.items(), grads)}
F.mse_loss(torch.func.functional_call(model, new, (x,)), y).backward()
print(model.model.l1.bias.grad)
# a learned learning rate
lr = torch.tensor(0.1, requires_grad=True)
w = torch.tensor(3.0, requires_grad=True)
for _ in range(3):
    (g,) = torch.autograd.grad((w - 1) ** 2, w, create_graph=True)
    w = w - lr * g
((w - 1) ** 2).backward()
print(w, lr.grad)
