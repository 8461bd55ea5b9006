import itertools

import torch
from torch import nn


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.shared = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2))
        self.adv_layer = nn.Linear(16, 1)
        self.latent_layer = nn.Linear(16, 2)

    def forward(self, x):
        out = self.shared(x)
        return self.adv_layer(out), self.latent_layer(out)


torch.manual_seed(0)
generator = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))
discriminator = Discriminator()
mse = nn.MSELoss()
optimizer_G = torch.optim.Adam(generator.parameters(), lr=2e-4)
optimizer_D = torch.optim.Adam(discriminator.parameters(), lr=2e-4)
optimizer_info = torch.optim.Adam(
    itertools.chain(generator.parameters(), discriminator.parameters()), lr=2e-4
)
valid, fake = torch.ones(16, 1), torch.zeros(16, 1)
for i in range(8):
    real, code = torch.randn(16, 2) + 1, torch.randn(16, 2)
    optimizer_G.zero_grad()
    gen = generator(torch.cat([torch.randn(16, 4), code], 1))
    g_loss = mse(discriminator(gen)[0], valid)
    g_loss.backward()
    optimizer_G.step()
    optimizer_D.zero_grad()
    d_loss = (mse(discriminator(real)[0], valid) + mse(discriminator(gen.detach())[0], fake)) / 2
    d_loss.backward()
    optimizer_D.step()
    optimizer_info.zero_grad()
    gen = generator(torch.cat([torch.randn(16, 4), code], 1))
    info_loss = mse(discriminator(gen)[1], code)
    info_loss.backward()
    optimizer_info.step()
print(f"{g_loss.item():.4f} {d_loss.item():.4f} {info_loss.item():.4f}")
