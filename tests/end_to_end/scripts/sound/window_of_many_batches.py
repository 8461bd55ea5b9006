import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
batches = [(torch.randn(2, 4), torch.randn(2, 1)) for _ in range(64)]
for i, (x, y) in enumerate(batches):
    loss = nn.functional.mse_loss(model(x), y) / 32
    loss.backward()
    if (i + 1) % 32 == 0:
        optimizer.step()
        optimizer.zero_grad()
print(loss.item())
