import torch
from torch import nn

torch.manual_seed(0)
G = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
D = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 1))
opt_g = torch.optim.Adam(G.parameters(), 1e-3)
opt_d = torch.optim.Adam(D.parameters(), 1e-3)
bce = nn.BCEWithLogitsLoss()
ones, zeros = torch.ones(16, 1), torch.zeros(16, 1)
for i in range(20):
    real = torch.randn(16, 2) + 3
    opt_g.zero_grad()
    opt_d.zero_grad()
    fake = G(torch.randn(16, 4))
    d_loss = bce(D(real), ones) + bce(D(fake), zeros)
    d_loss.backward()
    opt_d.step()
    fake = G(torch.randn(16, 4))
    g_loss = bce(D(fake), ones)
    g_loss.backward()
    opt_g.step()
print(g_loss.item())
