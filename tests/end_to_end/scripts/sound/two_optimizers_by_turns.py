import torch
from torch import nn

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 2))
critic = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
actor_opt = torch.optim.Adam(actor.parameters(), lr=1e-3)
critic_opt = torch.optim.Adam(critic.parameters(), lr=1e-3)
for episode in range(6):
    log_probs, values, rewards = [], [], []
    state = torch.randn(3)
    for t in range(4):
        dist = torch.distributions.Categorical(logits=actor(state))
        action = dist.sample()
        log_probs.append(dist.log_prob(action))
        values.append(critic(state))
        rewards.append(float(action))
        state = torch.randn(3)
    returns = torch.tensor(rewards).flip(0).cumsum(0).flip(0)
    values = torch.cat(values)
    advantage = returns - values
    actor_loss = -(torch.stack(log_probs) * advantage.detach()).mean()
    critic_loss = advantage.pow(2).mean()
    actor_opt.zero_grad()
    actor_loss.backward()
    actor_opt.step()
    critic_opt.zero_grad()
    critic_loss.backward()
    critic_opt.step()
