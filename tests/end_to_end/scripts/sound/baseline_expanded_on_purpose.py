import torch
from torch import nn

torch.manual_seed(0)
bias = nn.Parameter(torch.zeros(1, 4))
optimizer = torch.optim.SGD([bias], lr=0.1)
for step in range(4):
    target = torch.randn(16, 4)
    loss = nn.functional.mse_loss(bias.expand(16, 4), target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
