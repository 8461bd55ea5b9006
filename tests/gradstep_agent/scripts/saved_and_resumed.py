import tempfile
from pathlib import Path

import torch
from torch import nn


def build():
    torch.manual_seed(0)
    model = nn.Linear(3, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2)
    return model, optimizer, scheduler


def train(model, optimizer, scheduler, steps):
    x = torch.arange(12.0).view(4, 3) / 12
    for _ in range(steps):
        optimizer.zero_grad()
        loss = model(x).square().sum()
        loss.backward()
        optimizer.step()
        scheduler.step()
    return loss.item()


with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "checkpoint.pt"
    parts = build()
    train(*parts, 3)
    torch.save([part.state_dict() for part in parts], path)
    whole = train(*parts, 2)
    again = build()
    for part, state in zip(again, torch.load(path)):
        part.load_state_dict(state)
    print(train(*again, 2) == whole)
