import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(4):
    x, y = torch.randn(8, 4), torch.randint(0, 3, (8,))
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(x), y).backward()
    optimizer.step()
fisher = {name: torch.zeros_like(p) for name, p in model.named_parameters()}
model.eval()
for sample in range(5):
    model.zero_grad()
    log_likelihood = model(torch.randn(1, 4)).log_softmax(-1)[0, 0]
    log_likelihood.backward()
    for name, p in model.named_parameters():
        fisher[name] += p.grad**2
old = {name: p.detach().clone() for name, p in model.named_parameters()}
model.train()
for step in range(4):
    x, y = torch.randn(8, 4), torch.randint(0, 3, (8,))
    penalty = sum((fisher[n] * (p - old[n]) ** 2).sum() for n, p in model.named_parameters())
    loss = nn.functional.cross_entropy(model(x), y) + penalty
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
