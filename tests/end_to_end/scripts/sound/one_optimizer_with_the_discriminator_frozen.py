import torch
from torch import nn

torch.manual_seed(0)
netG = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
netD = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
optimizer = torch.optim.SGD([*netG.parameters(), *netD.parameters()], lr=1e-2)
criterion = nn.BCEWithLogitsLoss()
for i in range(8):
    netD.requires_grad_(True)
    optimizer.zero_grad()
    real, fake = torch.randn(16, 2) + 1, netG(torch.randn(16, 4)).detach()
    loss = criterion(netD(real), torch.ones(16, 1)) + criterion(netD(fake), torch.zeros(16, 1))
    loss.backward()
    optimizer.step()
    netD.requires_grad_(False)
    optimizer.zero_grad()
    loss = criterion(netD(netG(torch.randn(16, 4))), torch.ones(16, 1))
    loss.backward()
    optimizer.step()
print(f"{loss.item():.4f}")
