import torch
from torch import nn

torch.manual_seed(0)
X = torch.randn(64, 4)
Y = X[:, :1] * 2


def train(params, model, rate):
    opt = torch.optim.Adam(params, lr=rate)
    for _ in range(25):
        opt.zero_grad()
        loss = nn.functional.mse_loss(model(X), Y)
        loss.backward()
        opt.step()
    return loss.item()


first = nn.Linear(4, 1)
print(train(first.parameters(), first, 1e-2))
second = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
print(train(second.parameters(), second, 2e-2))
