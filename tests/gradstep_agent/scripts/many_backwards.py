"""Backward in all its forms: of vectors, of several, into some, of a graph that is kept."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(2, 2)
other = nn.Linear(2, 2)
opts = {
    "a": torch.optim.SGD(model.parameters(), lr=0.1),
    "b": torch.optim.SGD(other.parameters(), lr=0.1),
}
x = torch.ones(3, 2)
for epoch in range(2):
    for opt in opts.values():
        opt.zero_grad(set_to_none=False)
    out = model(x)
    out.backward(torch.ones_like(out), retain_graph=True)
    out.sum().backward(retain_graph=True)
    torch.autograd.backward([out.mean(), other(out.detach()).mean()], retain_graph=True)
    torch.autograd.backward(out.pow(2).mean(), inputs=[model.weight])
    first = other(x).pow(2).sum()
    first.backward(create_graph=True)
    penalty = sum(p.grad.pow(2).sum() for p in other.parameters())
    penalty.backward()
    for opt in opts.values():
        opt.step()
    print([round(p.sum().item(), 5) for p in (*model.parameters(), *other.parameters())])
    for p in other.parameters():
        p.grad = None
