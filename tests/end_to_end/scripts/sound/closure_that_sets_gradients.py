import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(50, 3)
y = x @ torch.tensor([[1.0], [2.0], [3.0]])
model = nn.Linear(3, 1)
criterion = nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.1)


def closure():
    optimizer.zero_grad()
    loss = criterion(model(x), y)
    for p, g in zip(model.parameters(), torch.autograd.grad(loss, list(model.parameters()))):
        p.grad = g
    return loss


for epoch in range(20):
    loss = optimizer.step(closure)
    print(epoch, loss.item())
