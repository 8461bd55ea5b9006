import io

import torch
from torch import nn


def build():
    torch.manual_seed(0)
    model = nn.Linear(4, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2)
    return model, optimizer, scheduler


def train(model, optimizer, scheduler, epochs):
    for _ in range(epochs):
        for _ in range(3):
            x = torch.randn(8, 4)
            optimizer.zero_grad()
            loss = (model(x) - x.sum(1, keepdim=True)).pow(2).mean()
            loss.backward()
            optimizer.step()
        scheduler.step()


parts = build()
train(*parts, 2)
buffer = io.BytesIO()
torch.save([part.state_dict() for part in parts], buffer)
buffer.seek(0)
parts = build()
for part, state in zip(parts, torch.load(buffer, weights_only=False)):
    part.load_state_dict(state)
train(*parts, 2)
