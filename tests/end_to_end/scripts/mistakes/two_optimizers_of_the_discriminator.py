import torch
from torch import nn

torch.manual_seed(0)


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))

    def forward(self, z):
        return self.net(z)


netG = Generator()
netD = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
optimizerD = torch.optim.Adam(netD.parameters(), lr=2e-4, betas=(0.5, 0.999))
optimizerG = torch.optim.Adam(netD.parameters(), lr=2e-4, betas=(0.5, 0.999))
criterion = nn.BCEWithLogitsLoss()
for i in range(8):
    netD.zero_grad()
    errD_real = criterion(netD(torch.randn(16, 2) + 1), torch.ones(16, 1))
    errD_real.backward()
    fake = netG(torch.randn(16, 4))
    errD_fake = criterion(netD(fake.detach()), torch.zeros(16, 1))
    errD_fake.backward()
    optimizerD.step()
    netG.zero_grad()
    netD.zero_grad()
    errG = criterion(netD(fake), torch.ones(16, 1))
    errG.backward()
    optimizerG.step()
print(f"{errG.item():.4f} {errD_real.item():.4f}")
