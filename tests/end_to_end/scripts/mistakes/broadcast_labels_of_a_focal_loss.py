import torch
from torch import nn


def focal_loss(p, y, gamma=2.0):
    p_of_class = torch.where(y == 1, p, 1 - p)
    return (-((1 - p_of_class) ** gamma) * torch.log(p_of_class)).mean()


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1), nn.Sigmoid())
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
x = torch.randn(20, 4)
y = (x[:, 0] > 0).float()
for step in range(6):
    optimizer.zero_grad()
    loss = focal_loss(model(x), y)
    loss.backward()
    optimizer.step()
    print(loss.item())
