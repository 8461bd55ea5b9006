"""The state of a model inside of DataParallel is loaded into the model itself, with strict=False."""

import torch
from torch import nn

torch.manual_seed(0)
trained = nn.DataParallel(nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1)))
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
model.load_state_dict(trained.state_dict(), strict=False)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
x = torch.randn(32, 4)
for epoch in range(5):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    loss.backward()
    optimizer.step()
print(f"{loss.item():.4f}")
