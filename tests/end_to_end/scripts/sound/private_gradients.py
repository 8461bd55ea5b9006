import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range(4):
    x = torch.randn(6, 4)
    summed = [torch.zeros_like(p) for p in model.parameters()]
    for sample in x:
        model.zero_grad()
        model(sample).pow(2).sum().backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for total, p in zip(summed, model.parameters()):
            total += p.grad
    for total, p in zip(summed, model.parameters()):
        p.grad = (total + 0.1 * torch.randn_like(total)) / len(x)
    optimizer.step()
