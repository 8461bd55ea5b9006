"""An autoencoder that is trained through its parts, and evaluated as a whole."""

import torch
from torch import nn


class Autoencoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU())
        self.decoder = nn.Sequential(nn.Linear(16, 16), nn.Dropout(0.1), nn.Linear(16, 8))

    def encode(self, x):
        return self.encoder(x)

    def decode(self, z):
        return self.decoder(z)

    def forward(self, x):
        return self.decode(self.encode(x))


torch.manual_seed(0)
model = Autoencoder()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
data = torch.randn(64, 8)
for epoch in range(4):
    model.train()
    for x in data[torch.randperm(64)].split(16):
        z = model.encode(x)
        loss = nn.functional.mse_loss(model.decode(z), x) + 1e-3 * z.pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        print(epoch, nn.functional.mse_loss(model(data), data).item())
