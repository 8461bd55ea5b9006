"""As in DINO: in the first epoch, the gradients of the last layer are removed before each Step."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Linear(8, 3, bias=False))
optimizer = torch.optim.AdamW(model.parameters())
for epoch in range(3):
    for _ in range(5):
        x = torch.randn(8, 4)
        loss = (model(x) - x[:, :3]).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        if epoch < 1:
            for parameter in model[2].parameters():
                parameter.grad = None
        optimizer.step()
    print(epoch, loss.item())
