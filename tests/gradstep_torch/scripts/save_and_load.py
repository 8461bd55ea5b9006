import os
import tempfile

import torch
from torch import nn

torch.manual_seed(3)
model = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
optimizer = torch.optim.Adam(model.parameters())
model(torch.ones(4, 2)).sum().backward()
optimizer.step()
path = os.path.join(tempfile.mkdtemp(), "checkpoint.pt")
torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 7}, path)
checkpoint = torch.load(path, map_location="cpu", weights_only=True)
other = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
print(other.load_state_dict(checkpoint["model"]))
optimizer = torch.optim.Adam(other.parameters())
optimizer.load_state_dict(checkpoint["optimizer"])
x = torch.rand(5, 2)
print(torch.equal(model(x), other(x)), checkpoint["epoch"], sorted(checkpoint["model"]))
print(optimizer.state_dict()["state"][0]["step"])
