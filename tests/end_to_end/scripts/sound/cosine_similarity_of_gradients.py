import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 2)
opt = torch.optim.Adam(model.parameters())
for step in range(4):
    losses = [model(torch.randn(8, 4)).pow(2).mean(), (model(torch.randn(8, 4)) - 1).abs().mean()]
    grads = []
    for loss in losses:
        opt.zero_grad()
        loss.backward()
        grads.append([p.grad.clone() for p in model.parameters()])
    opt.zero_grad()
    for p, a, b in zip(model.parameters(), *grads):
        dot = (a * b).sum()
        p.grad = a + b if dot > 0 else a - dot / b.pow(2).sum() * b + b
    opt.step()
