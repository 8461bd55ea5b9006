import itertools

import torch
from torch import nn

torch.manual_seed(0)
generator = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
discriminator = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
optimizer = torch.optim.Adam(
    itertools.chain(generator.parameters(), discriminator.parameters()), lr=2e-4
)
loss_fn = nn.BCEWithLogitsLoss()
valid, fake = torch.ones(16, 1), torch.zeros(16, 1)
for i in range(8):
    imgs = torch.randn(16, 2) + 1
    gen_imgs = generator(torch.randn(16, 4))

    optimizer.zero_grad()
    real_loss = loss_fn(discriminator(imgs), valid)
    fake_loss = loss_fn(discriminator(gen_imgs.detach()), fake)
    d_loss = (real_loss + fake_loss) / 2
    d_loss.backward()
    optimizer.step()

    optimizer.zero_grad()
    g_loss = loss_fn(discriminator(generator(torch.randn(16, 4))), valid)
    g_loss.backward()
    optimizer.step()
print(f"{g_loss.item():.4f} {d_loss.item():.4f}")
