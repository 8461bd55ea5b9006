import torch
from torch import nn, optim

torch.manual_seed(0)
G = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 2))
D = nn.Sequential(
    nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Dropout(0.0), nn.Linear(16, 1), nn.Sigmoid()
)
g_opt = optim.Adam(G.parameters(), lr=2e-3, betas=(0.5, 0.999))
d_opt = optim.Adam(D.parameters(), lr=2e-3, betas=(0.5, 0.999))
bce = nn.BCELoss()
real_label, fake_label = torch.ones(32, 1), torch.zeros(32, 1)
for it in range(60):
    theta = torch.rand(32) * 2 * torch.pi
    real = torch.stack([theta.cos(), theta.sin()], dim=1)
    # (1) D
    d_opt.zero_grad()
    d_real = bce(D(real), real_label)
    fake = G(torch.randn(32, 2))
    d_fake = bce(D(fake.detach()), fake_label)
    (d_real + d_fake).backward()
    if it == 0:
        print("G has no grad yet:", all(p.grad is None for p in G.parameters()))
    d_opt.step()
    # (2) G
    g_opt.zero_grad()
    g_loss = bce(D(fake), real_label)
    g_loss.backward()
    if it == 0:
        print(
            "D got grads of the generator's loss:",
            any(p.grad.abs().sum() > 0 for p in D.parameters()),
        )
    g_opt.step()
    if it % 20 == 0:
        print("[%d] D %.4f G %.4f" % (it, (d_real + d_fake).item(), g_loss.item()))
# the step between forward and backward
fake = G(torch.randn(32, 2))
g_loss = bce(D(fake), real_label)
d_loss = bce(D(fake.detach()), fake_label)
d_opt.zero_grad()
d_loss.backward()
d_opt.step()
try:
    g_loss.backward()
except RuntimeError as e:
    print(str(e)[:91])
# frozen discriminator
for p in D.parameters():
    p.requires_grad_(False)
d_opt.zero_grad()
g_opt.zero_grad()
bce(D(G(torch.randn(8, 2))), torch.ones(8, 1)).backward()
print([p.grad for p in D.parameters()], round(G[0].weight.grad.norm().item(), 4))
# hinge and LSGAN losses
logits_r, logits_f = torch.tensor([0.5, 2.0]), torch.tensor([-3.0, 0.2])
print(torch.relu(1 - logits_r).mean() + torch.relu(1 + logits_f).mean())
print(0.5 * ((logits_r - 1) ** 2).mean() + 0.5 * (logits_f**2).mean())
