import copy

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))
x = torch.randn(64, 3)
y = x.prod(1, keepdim=True)
before = copy.deepcopy(model.state_dict())


def train(optimizer, steps, scheduler=None):
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        if scheduler is not None:
            scheduler.step()
        losses.append(loss.item())
    return losses


probe = torch.optim.SGD(model.parameters(), lr=1e-5)
growth = torch.optim.lr_scheduler.ExponentialLR(probe, gamma=1.3)
curve = train(probe, 30, growth)
model.load_state_dict(before)
final = train(torch.optim.SGD(model.parameters(), lr=0.05), 40)
print(f"{min(curve):.4f} {final[-1]:.4f}")
