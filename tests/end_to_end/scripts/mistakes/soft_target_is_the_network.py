"""The networks of an agent are one, and each soft update mixes it with itself."""

import torch
from torch import nn


def soft_update(target, source, tau):
    for old, new in zip(target.parameters(), source.parameters()):
        old.data.copy_(tau * new.data + (1 - tau) * old.data)


class Agent:
    def __init__(self, network):
        self.critic = network
        self.critic_target = self.critic
        self.optimizer = torch.optim.Adam(self.critic.parameters(), lr=1e-2)

    def learn(self, states, rewards, following):
        with torch.no_grad():
            wanted = rewards + 0.9 * self.critic_target(following)
        loss = nn.functional.mse_loss(self.critic(states), wanted)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        soft_update(self.critic_target, self.critic, 0.01)


torch.manual_seed(0)
agent = Agent(nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1)))
for step in range(12):
    agent.learn(torch.randn(16, 4), torch.rand(16, 1), torch.randn(16, 4))
