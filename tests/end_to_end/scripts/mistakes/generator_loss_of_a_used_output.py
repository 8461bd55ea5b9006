"""The generator's loss is computed from an output that the discriminator's Backward has used."""

import torch
from torch import nn

torch.manual_seed(0)
G, D = nn.Linear(2, 4), nn.Linear(4, 1)
opt_g = torch.optim.Adam(G.parameters(), lr=0.01)
opt_d = torch.optim.Adam(D.parameters(), lr=0.01)
criterion = nn.BCEWithLogitsLoss()
real, ones, zeros = torch.randn(16, 4), torch.ones(16, 1), torch.zeros(16, 1)
for step in range(3):
    fake = G(torch.randn(16, 2))
    output = D(fake)
    opt_d.zero_grad()
    d_loss = criterion(D(real), ones) + criterion(output, zeros)
    d_loss.backward()
    opt_d.step()
    opt_g.zero_grad()
    g_loss = criterion(output, ones)
    g_loss.backward()
    opt_g.step()
