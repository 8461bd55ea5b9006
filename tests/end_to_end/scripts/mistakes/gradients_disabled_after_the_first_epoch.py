"""An evaluation disables gradients, and nothing enables them again."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
criterion = nn.CrossEntropyLoss()
x, y = torch.randn(60, 4), torch.randint(0, 3, (60,))
for epoch in range(3):
    net.train()
    for i in range(0, 40, 20):
        opt.zero_grad()
        loss = criterion(net(x[i : i + 20]), y[i : i + 20])
        loss.backward()
        opt.step()
    net.eval()
    torch.set_grad_enabled(False)
    print(epoch, criterion(net(x[40:]), y[40:]).item())
