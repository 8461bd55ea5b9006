import torch
from torch import nn


def set_requires_grad(net, flag):
    for p in net.parameters():
        p.requires_grad = flag


torch.manual_seed(0)
G = nn.Sequential(
    nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.Conv2d(4, 1, 3, padding=1)
)
D = nn.Sequential(nn.Conv2d(2, 4, 3, 2), nn.LeakyReLU(0.2), nn.Conv2d(4, 1, 3))
opt_G = torch.optim.Adam(G.parameters(), 2e-4, (0.5, 0.999))
opt_D = torch.optim.Adam(D.parameters(), 2e-4, (0.5, 0.999))
gan = nn.MSELoss()
for step in range(4):
    a, b = torch.rand(2, 1, 8, 8), torch.rand(2, 1, 8, 8)
    fake = G(a)
    set_requires_grad(D, True)
    opt_D.zero_grad()
    pred_fake, pred_real = D(torch.cat([a, fake], 1).detach()), D(torch.cat([a, b], 1))
    loss_D = (
        gan(pred_fake, torch.zeros_like(pred_fake)) + gan(pred_real, torch.ones_like(pred_real))
    ) * 0.5
    loss_D.backward()
    opt_D.step()
    set_requires_grad(D, False)
    opt_G.zero_grad()
    pred = D(torch.cat([a, fake], 1))
    loss_G = gan(pred, torch.ones_like(pred)) + 100 * nn.functional.l1_loss(fake, b)
    loss_G.backward()
    opt_G.step()
