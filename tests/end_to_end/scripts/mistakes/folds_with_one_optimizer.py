import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(60, 4)
y = (x.sum(1) > 0).long()


def make():
    return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))


model = make()
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for fold in range(3):
    model = make()
    held = torch.arange(60) % 3 == fold
    for epoch in range(15):
        model.train()
        optimizer.zero_grad()
        loss = criterion(model(x[~held]), y[~held])
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        print(fold, (model(x[held]).argmax(1) == y[held]).float().mean().item())
