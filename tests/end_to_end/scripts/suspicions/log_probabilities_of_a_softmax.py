"""NLLLoss takes the probabilities of a softmax for their logarithms."""

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
x, y = torch.randn(64, 4), torch.randint(0, 3, (64,))
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3), nn.Softmax(dim=1))
opt = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(5):
    opt.zero_grad()
    loss = F.nll_loss(model(x), y)
    loss.backward()
    opt.step()
