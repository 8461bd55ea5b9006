import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
accumulation_steps = 16
data = [(torch.randn(8, 4), torch.randn(8, 1)) for _ in range(10)]
for epoch in range(4):
    optimizer.zero_grad()
    for i, (x, y) in enumerate(data):
        loss = nn.functional.mse_loss(model(x), y) / accumulation_steps
        loss.backward()
        if (i + 1) % accumulation_steps == 0:
            optimizer.step()
            optimizer.zero_grad()
    print(epoch, loss.item())
