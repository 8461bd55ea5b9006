import torch
from torch import nn

torch.manual_seed(0)
generator, discriminator = nn.Linear(2, 2), nn.Linear(2, 1)
optimizer_G = torch.optim.Adam(generator.parameters(), lr=2e-4)
optimizer_D = torch.optim.Adam(generator.parameters(), lr=2e-4)
loss_fn = nn.BCEWithLogitsLoss()
valid, fake = torch.ones(16, 1), torch.zeros(16, 1)
for i in range(5):
    imgs = torch.randn(16, 2) + 1
    optimizer_G.zero_grad()
    gen_imgs = generator(torch.randn(16, 2))
    g_loss = loss_fn(discriminator(gen_imgs), valid)
    g_loss.backward()
    optimizer_G.step()
    optimizer_D.zero_grad()
    d_loss = (
        loss_fn(discriminator(imgs), valid) + loss_fn(discriminator(gen_imgs.detach()), fake)
    ) / 2
    d_loss.backward()
    optimizer_D.step()
print(f"{g_loss.item():.4f} {d_loss.item():.4f}")
