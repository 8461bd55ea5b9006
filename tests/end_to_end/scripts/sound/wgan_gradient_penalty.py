import torch
from torch import autograd, nn, optim

torch.manual_seed(1)
G = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2))
D = nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(), nn.Linear(8, 1))
opt_G = optim.RMSprop(G.parameters(), lr=5e-5)
opt_D = optim.RMSprop(D.parameters(), lr=5e-5)


def gradient_penalty(real, fake):
    eps = torch.rand(real.size(0), 1)
    mixed = (eps * real + (1 - eps) * fake).requires_grad_(True)
    score = D(mixed)
    (grad,) = autograd.grad(score.sum(), mixed, create_graph=True)
    return ((grad.norm(2, dim=1) - 1) ** 2).mean()


for it in range(12):
    real = torch.randn(16, 2) + 1
    opt_D.zero_grad()
    fake = G(torch.randn(16, 3))
    loss_D = D(fake).mean() - D(real).mean() + 10 * gradient_penalty(real, fake.detach())
    loss_D.backward()
    opt_D.step()
    if it % 5 == 4:
        opt_G.zero_grad()
        loss_G = -D(G(torch.randn(16, 3))).mean()
        loss_G.backward()
        opt_G.step()
