"""RankNet: the differences of all pairs of scores are a square on purpose."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, relevance = torch.randn(16, 4), torch.randint(0, 3, (16,)).float()
centers = torch.linspace(-1, 1, 16)
for step in range(5):
    score = model(x)
    better = (relevance[:, None] > relevance[None]).float()
    pairs = nn.functional.softplus(-(score - score.t()))
    soft = torch.exp(-(score.unsqueeze(1) - centers).square()).mean()
    loss = (better * pairs).mean() + 0.01 * soft
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
