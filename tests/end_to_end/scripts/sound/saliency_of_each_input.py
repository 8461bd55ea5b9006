import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
total = [torch.zeros_like(p) for p in model.parameters()]
for _ in range(30):
    x = torch.randn(1, 4, requires_grad=True)
    model.zero_grad()
    model(x).max().backward()
    for kept, p in zip(total, model.parameters()):
        kept += p.grad.abs()
    for p in model.parameters():
        g = p.grad / (p.grad.norm() + 1e-8)
    print(x.grad.abs().argmax().item(), g.sum().item())
