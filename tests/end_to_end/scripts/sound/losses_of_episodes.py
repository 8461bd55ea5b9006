"""Each episode is one step longer than the one before, and begins with an empty list."""

import torch
from torch import nn

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2), nn.Softmax(dim=-1))
optimizer = torch.optim.Adam(policy.parameters(), lr=0.01)
history = {"loss": []}
kept = []
for episode in range(10):
    losses = []
    for step in range(2 + episode):
        action = torch.distributions.Categorical(policy(torch.randn(4)))
        losses.append(-action.log_prob(action.sample()) * (1.0 + step))
    optimizer.zero_grad()
    loss = sum(losses)
    loss.backward()
    optimizer.step()
    history["loss"].append(loss.item())
    kept.append(loss.detach())
print(history["loss"][-1], float(kept[0]))
