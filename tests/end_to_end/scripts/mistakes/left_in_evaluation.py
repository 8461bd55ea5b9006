import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(32, 4)
y = x.sum(1, keepdim=True)
model = nn.Sequential(
    nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.2), nn.Linear(8, 1)
)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
model.train()
for epoch in range(3):
    for step in range(3):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        print(nn.functional.mse_loss(model(x), y).item())
