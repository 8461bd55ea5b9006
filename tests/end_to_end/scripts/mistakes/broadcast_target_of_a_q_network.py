"""Deep Q-learning: gather() leaves a column, and the rewards are none."""

import random

import torch
from torch import nn

torch.manual_seed(0)
random.seed(0)
policy = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
target = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
target.load_state_dict(policy.state_dict())
target.eval()
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
memory = [
    (torch.randn(4), random.randrange(2), random.random(), torch.randn(4)) for _ in range(100)
]


def optimize():
    states, actions, rewards, following = zip(*random.sample(memory, 16))
    states, following = torch.stack(states), torch.stack(following)
    actions, rewards = torch.tensor(actions).unsqueeze(1), torch.tensor(rewards)
    q = policy(states).gather(1, actions)
    with torch.no_grad():
        best = target(following).max(1)[0]
    loss = nn.SmoothL1Loss()(q, rewards + 0.99 * best)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


for step in range(6):
    optimize()
