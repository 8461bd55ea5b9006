"""A state is assigned, so that the model has other parameters than its optimizer."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.Adam(model.parameters(), 1e-2)
saved = {name: value.clone() for name, value in model.state_dict().items()}
model.load_state_dict(saved, assign=True)
x = torch.randn(32, 3)
for epoch in range(6):
    opt.zero_grad()
    loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    loss.backward()
    opt.step()
