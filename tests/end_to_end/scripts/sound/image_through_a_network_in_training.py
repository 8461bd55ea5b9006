import torch
from torch import nn

torch.manual_seed(0)
network = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Conv2d(4, 2, 3))
image = torch.rand(1, 3, 8, 8, requires_grad=True)
optimizer = torch.optim.Adam([image], lr=0.05)
for step in range(8):
    optimizer.zero_grad()
    loss = -network(image)[:, 1].mean()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.4f}")
