import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(128, 3)
y = (x**2).sum(1, keepdim=True)
results = {}
for lr in (0.05, 0.005, 0.0005):
    model = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    for epoch in range(60):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
    results[lr] = loss.item()
print(results)
