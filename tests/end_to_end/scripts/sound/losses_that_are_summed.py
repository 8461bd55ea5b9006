# sums of losses that are differentiated, and totals of numbers
import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(32, 4)
y = x.sum(1, keepdim=True)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
total, average, kept = 0.0, 0.0, torch.zeros(())
for step in range(20):
    optimizer.zero_grad()
    loss = 0.0
    for i in range(0, 8 + 8 * (step % 3), 8):
        part = nn.functional.mse_loss(model(x[i : i + 8]), y[i : i + 8])
        loss = loss + part
    penalty = sum(p.abs().sum() for p in model.parameters())
    loss = loss + 1e-4 * penalty
    loss.backward()
    optimizer.step()
    total += loss.item()
    kept += loss.detach()
    average = 0.9 * average + 0.1 * float(loss)
print(total, kept.item(), average)
