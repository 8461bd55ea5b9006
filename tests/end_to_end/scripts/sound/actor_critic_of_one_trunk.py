import torch
from torch import nn


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Linear(4, 16)
        self.actor, self.critic = nn.Linear(16, 2), nn.Linear(16, 1)

    def forward(self, state):
        hidden = torch.relu(self.trunk(state))
        return torch.softmax(self.actor(hidden), -1), self.critic(hidden)


torch.manual_seed(0)
model = ActorCritic()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for episode in range(8):
    log_probs, values, rewards = [], [], []
    state = torch.randn(4)
    for t in range(6):
        probs, value = model(state)
        chosen = torch.distributions.Categorical(probs)
        action = chosen.sample()
        log_probs.append(chosen.log_prob(action))
        values.append(value)
        rewards.append(float(action) + 0.1 * t)
        state = torch.randn(4)
    returns, total = [], 0.0
    for reward in reversed(rewards):
        total = reward + 0.9 * total
        returns.insert(0, total)
    returns = torch.tensor(returns)
    advantage = returns - torch.cat(values).detach()
    policy_loss = -(torch.stack(log_probs) * advantage).sum()
    value_loss = nn.functional.smooth_l1_loss(torch.cat(values), returns)
    optimizer.zero_grad()
    (policy_loss + value_loss).backward()
    optimizer.step()
print(f"{value_loss.item():.4f}")
