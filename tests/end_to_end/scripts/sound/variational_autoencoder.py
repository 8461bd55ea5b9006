import torch
from torch import nn


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Linear(6, 4)
        self.mu, self.logvar = nn.Linear(4, 2), nn.Linear(4, 2)
        self.dec = nn.Linear(2, 6)

    def forward(self, x):
        h = self.enc(x).relu()
        mu, logvar = self.mu(h), self.logvar(h)
        z = mu + torch.randn_like(mu) * (0.5 * logvar).exp()
        return self.dec(z), mu, logvar


def train(epoch):
    model.train()
    train_loss = 0
    for batch in data.split(8):
        optimizer.zero_grad()
        recon, mu, logvar = model(batch)
        bce = nn.functional.binary_cross_entropy_with_logits(recon, batch, reduction="sum")
        loss = bce - 0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
        loss.backward()
        train_loss += loss.item()
        optimizer.step()


def test(epoch):
    model.eval()
    with torch.no_grad():
        recon, mu, logvar = model(data[:8])


torch.manual_seed(0)
data = torch.rand(32, 6)
model = VAE()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(1, 4):
    train(epoch)
    test(epoch)
