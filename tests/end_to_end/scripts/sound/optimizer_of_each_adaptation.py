import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))


def adapt(x, steps):
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    for _ in range(steps):
        optimizer.zero_grad()
        loss = (net(x) ** 2).mean()
        loss.backward()
        optimizer.step()
    return loss.item()


for task in range(10):
    a = adapt(torch.randn(8, 4), 3)
    b = adapt(torch.randn(8, 4), 3)
    print(task, a + b)
