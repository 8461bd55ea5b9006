"""A rate is set after a state was loaded, and another state has the rate that was given."""

import io

import torch
from torch import nn

torch.manual_seed(0)
x, y = torch.randn(64, 4), torch.randn(64, 1)
model = nn.Linear(4, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
buffer = io.BytesIO()
torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, buffer)
buffer.seek(0)
checkpoint = torch.load(buffer)
model = nn.Linear(4, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
model.load_state_dict(checkpoint["model"])
optimizer.load_state_dict(checkpoint["optimizer"])
for group in optimizer.param_groups:
    group["lr"] = 1e-3
same = nn.Linear(4, 1)
adam = torch.optim.Adam(same.parameters(), lr=0.01)
adam.load_state_dict(checkpoint["optimizer"])
for step in range(24):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
for step in range(24):
    adam.zero_grad()
    nn.functional.mse_loss(same(x), y).backward()
    adam.step()
