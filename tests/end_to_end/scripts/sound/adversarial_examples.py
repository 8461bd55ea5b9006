import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def attack(x, y, eps=0.1):
    model.eval()
    x = x.clone().requires_grad_(True)
    loss = nn.functional.cross_entropy(model(x), y)
    model.zero_grad()
    loss.backward()
    model.train()
    return (x + eps * x.grad.sign()).detach()


for step in range(6):
    x, y = torch.randn(8, 4), torch.randint(0, 2, (8,))
    x_adv = attack(x, y)
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x_adv), y)
    loss.backward()
    optimizer.step()
