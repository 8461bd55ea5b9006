import torch
from torch import nn

torch.manual_seed(4)
real = torch.randn(16, 2) + 3
generator = nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 2))
discriminator = nn.Sequential(nn.Linear(2, 4), nn.LeakyReLU(), nn.Linear(4, 1), nn.Sigmoid())
criterion = nn.BCELoss()
opt_g = torch.optim.Adam(generator.parameters(), lr=1e-3)
opt_d = torch.optim.Adam(discriminator.parameters(), lr=1e-3)
for step in range(4):
    fake = generator(torch.randn(16, 2))
    opt_d.zero_grad()
    d_loss = criterion(discriminator(real), torch.ones(16, 1)) + criterion(
        discriminator(fake.detach()), torch.zeros(16, 1)
    )
    d_loss.backward()
    opt_d.step()
    opt_g.zero_grad()
    g_loss = criterion(discriminator(fake), torch.ones(16, 1))
    g_loss.backward()
    opt_g.step()
    print(d_loss.item(), g_loss.item())
