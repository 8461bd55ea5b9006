import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(64, 4)
y = torch.randn(64, 1)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
criterion = nn.MSELoss()


def train_step(inputs, targets):
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    optimizer.zero_grad()
    loss = criterion(net(inputs), targets)
    loss.backward()
    optimizer.step()
    return loss.item()


for epoch in range(20):
    a = train_step(x[:32], y[:32])
    b = train_step(x[32:], y[32:])
    print(epoch, a + b)
