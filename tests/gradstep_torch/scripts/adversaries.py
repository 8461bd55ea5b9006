import numpy as np
import torch
from torch import nn

torch.manual_seed(111)


class Generator(nn.Module):
    def __init__(self, nz=4):
        super().__init__()
        self.main = nn.Sequential(
            nn.ConvTranspose2d(nz, 16, 4, 1, 0, bias=False),
            nn.BatchNorm2d(16),
            nn.ReLU(True),
            nn.ConvTranspose2d(16, 8, 4, 2, 1, bias=False),
            nn.BatchNorm2d(8),
            nn.ReLU(True),
            nn.ConvTranspose2d(8, 1, 4, 2, 1, bias=False),
            nn.Tanh(),
        )

    def forward(self, x):
        return self.main(x)


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.main = nn.Sequential(
            nn.Conv2d(1, 8, 4, 2, 1, bias=False),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Conv2d(8, 16, 4, 2, 1, bias=False),
            nn.BatchNorm2d(16),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Conv2d(16, 1, 4, 1, 0, bias=False),
            nn.Sigmoid(),
        )

    def forward(self, x):
        return self.main(x).view(-1, 1).squeeze(1)


def weights_init(m):
    classname = m.__class__.__name__
    if classname.find("Conv") != -1:
        nn.init.normal_(m.weight.data, 0.0, 0.02)
    elif classname.find("BatchNorm") != -1:
        nn.init.normal_(m.weight.data, 1.0, 0.02)
        nn.init.constant_(m.bias.data, 0)


G, D = Generator(), Discriminator()
G.apply(weights_init)
D.apply(weights_init)
print(G)
print(D)
criterion = nn.BCELoss()
optD = torch.optim.Adam(D.parameters(), lr=2e-4, betas=(0.5, 0.999))
optG = torch.optim.Adam(G.parameters(), lr=2e-4, betas=(0.5, 0.999))
real_data = torch.randn(32, 1, 16, 16).tanh()
fixed = torch.randn(4, 4, 1, 1)
for i in range(8):
    D.zero_grad()
    label = torch.full((32,), 1.0, dtype=torch.float)
    output = D(real_data).view(-1)
    errD_real = criterion(output, label)
    errD_real.backward()
    D_x = output.mean().item()
    noise = torch.randn(32, 4, 1, 1)
    fake = G(noise)
    label.fill_(0.0)
    output = D(fake.detach()).view(-1)
    errD_fake = criterion(output, label)
    errD_fake.backward()
    D_G_z1 = output.mean().item()
    errD = errD_real + errD_fake
    optD.step()
    G.zero_grad()
    label.fill_(1.0)
    output = D(fake).view(-1)
    errG = criterion(output, label)
    errG.backward()
    D_G_z2 = output.mean().item()
    optG.step()
    print(
        "[%d] Loss_D: %.4f Loss_G: %.4f D(x): %.4f D(G(z)): %.4f / %.4f"
        % (i, errD.item(), errG.item(), D_x, D_G_z1, D_G_z2)
    )
with torch.no_grad():
    fake = G(fixed).detach().cpu()
print(fake.shape, fake.mean(), np.transpose(fake[0].numpy(), (1, 2, 0)).shape)
# WGAN-GP penalty
crit = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(), nn.Linear(16, 1))
r, f = torch.randn(8, 2), torch.randn(8, 2)
alpha = torch.rand(8, 1)
inter = (alpha * r + (1 - alpha) * f).requires_grad_(True)
d = crit(inter)
g = torch.autograd.grad(
    outputs=d,
    inputs=inter,
    grad_outputs=torch.ones_like(d),
    create_graph=True,
    retain_graph=True,
    only_inputs=True,
)[0]
gp = ((g.norm(2, dim=1) - 1) ** 2).mean() * 10
gp.backward()
print(gp, crit[0].weight.grad[:2])
