import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Dropout(0.3), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
x = torch.randn(32, 2)
y = x[:, :1] * x[:, 1:]
for epoch in range(4):
    model.train()
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
    model.eval()
    for layer in model:
        if isinstance(layer, nn.Dropout):
            layer.train()
    with torch.no_grad():
        samples = torch.stack([model(x) for _ in range(5)])
    print(f"{epoch} {loss.item():.4f} {samples.std(0).mean().item():.4f}")
