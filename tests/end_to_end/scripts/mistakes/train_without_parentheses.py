import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.5), nn.Linear(8, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
data = torch.randn(24, 4)


def train_epoch():
    net.train
    for x in data.split(8):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(net(x), x.sum(1, keepdim=True))
        loss.backward()
        optimizer.step()


def evaluate():
    net.eval()
    with torch.no_grad():
        return nn.functional.mse_loss(net(data), data.sum(1, keepdim=True))


for epoch in range(3):
    train_epoch()
    print(f"{evaluate().item():.4f}")
