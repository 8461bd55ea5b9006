import torch
from torch import nn

torch.manual_seed(0)
G = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
D = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
optim = torch.optim.RMSprop(D.parameters(), lr=5e-5)
for step in range(8):
    for _ in range(3):
        real, noise = torch.randn(16, 2) + 1, torch.randn(16, 4)
        optim.zero_grad()
        loss_D = D(G(noise).detach()).mean() - D(real).mean()
        loss_D.backward()
        optim.step()
    optim.zero_grad()
    loss_G = -D(G(torch.randn(16, 4))).mean()
    loss_G.backward()
    optim.step()
print(f"{loss_G.item():.4f} {loss_D.item():.4f}")
