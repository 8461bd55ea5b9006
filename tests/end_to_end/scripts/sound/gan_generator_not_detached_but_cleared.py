import torch
from torch import nn

torch.manual_seed(0)
netG, netD = nn.Linear(2, 2), nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
opt_g = torch.optim.Adam(netG.parameters(), lr=1e-3, betas=(0.5, 0.999))
opt_d = torch.optim.Adam(netD.parameters(), lr=1e-3, betas=(0.5, 0.999))
criterion = nn.BCEWithLogitsLoss()
for i in range(12):
    real = torch.randn(16, 2) + 2
    netD.zero_grad()
    errD_real = criterion(netD(real), torch.ones(16, 1))
    errD_real.backward()
    fake = netG(torch.randn(16, 2))
    errD_fake = criterion(netD(fake), torch.zeros(16, 1))
    errD_fake.backward(retain_graph=True)
    opt_d.step()
    netG.zero_grad()
    errG = criterion(netD(netG(torch.randn(16, 2))), torch.ones(16, 1))
    errG.backward()
    opt_g.step()
print(f"{errD_real.item() + errD_fake.item():.4f} {errG.item():.4f}")
