import torch
from torch import nn

torch.manual_seed(0)
netG = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 2))
netD = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
optimizerG = torch.optim.Adam(netG.parameters(), lr=2e-3, betas=(0.5, 0.999))
optimizerD = torch.optim.Adam(netD.parameters(), lr=2e-3, betas=(0.5, 0.999))
criterion = nn.BCEWithLogitsLoss()
real_label, fake_label = torch.ones(32, 1), torch.zeros(32, 1)

for i in range(20):
    real = torch.randn(32, 2) + 3
    fake = netG(torch.randn(32, 2))

    optimizerG.zero_grad()
    errG = criterion(netD(fake), real_label)
    errG.backward()
    optimizerG.step()

    errD = criterion(netD(real), real_label) + criterion(netD(fake.detach()), fake_label)
    errD.backward()
    optimizerD.step()
    optimizerD.zero_grad()
    if i % 5 == 0:
        print(f"[{i}] D {errD.item():.4f} G {errG.item():.4f}")
