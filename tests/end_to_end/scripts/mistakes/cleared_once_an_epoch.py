import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(32, 4)
y = x.sum(1, keepdim=True)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(3):
    optimizer.zero_grad()
    for i in range(0, 32, 8):
        loss = nn.functional.mse_loss(model(x[i : i + 8]), y[i : i + 8])
        loss.backward()
        optimizer.step()
