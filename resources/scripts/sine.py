"""A loop that does not learn as it should: something is missing in it."""

import torch
from torch import nn

torch.manual_seed(0)
angles = torch.linspace(0, 6.28, 64).unsqueeze(1)
targets = torch.sin(angles)

model = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
criterion = nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.02)

for step in range(60):
    prediction = model(angles)
    loss = criterion(prediction, targets)
    loss.backward()
    optimizer.step()
    if step % 10 == 0:
        print(f"step {step}: loss {loss.item():.4f}")
