"""The target network is the network by another name, and its state is copied into itself."""

import random

import torch
from torch import nn

random.seed(0)
torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
target = policy
target.eval()
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
memory = [(torch.randn(4), random.randrange(2), random.random(), torch.randn(4)) for _ in range(64)]
for step in range(30):
    states, actions, rewards, following = zip(*random.sample(memory, 16))
    states, following = torch.stack(states), torch.stack(following)
    q = policy(states).gather(1, torch.tensor(actions).unsqueeze(1)).squeeze(1)
    with torch.no_grad():
        best = target(following).max(1).values
    wanted = torch.tensor(rewards) + 0.9 * best
    loss = nn.functional.smooth_l1_loss(q, wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 10 == 9:
        target.load_state_dict(policy.state_dict())
