import torch
from torch import nn

torch.manual_seed(0)
cell, head = nn.LSTMCell(4, 8), nn.Linear(8, 1)
optimizer = torch.optim.Adam([*cell.parameters(), *head.parameters()], lr=1e-2)
X, Y = torch.randn(12, 3, 4), torch.randn(12, 3, 1)
h, c = torch.zeros(3, 8), torch.zeros(3, 8)
losses = 0
for t in range(12):
    h, c = cell(X[t], (h, c))
    losses = losses + nn.functional.mse_loss(head(h), Y[t])
    if t % 3 == 2:
        optimizer.zero_grad()
        losses.backward()
        optimizer.step()
        losses = 0
