import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Categorical

torch.manual_seed(543)


class Policy(nn.Module):
    def __init__(self):
        super(Policy, self).__init__()
        self.affine1 = nn.Linear(4, 16)
        self.dropout = nn.Dropout(p=0.0)
        self.action_head = nn.Linear(16, 2)
        self.value_head = nn.Linear(16, 1)
        self.saved_actions = []
        self.rewards = []

    def forward(self, x):
        x = F.relu(self.dropout(self.affine1(x)))
        return F.softmax(self.action_head(x), dim=-1), self.value_head(x)


model = Policy()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-2)
eps = torch.finfo(torch.float32).eps


def select_action(state):
    probs, state_value = model(state)
    m = Categorical(probs)
    action = m.sample()
    model.saved_actions.append((m.log_prob(action), state_value, m.entropy()))
    return action.item()


def finish_episode():
    R = 0
    policy_losses, value_losses, returns = [], [], []
    for r in model.rewards[::-1]:
        R = r + 0.99 * R
        returns.insert(0, R)
    returns = torch.tensor(returns)
    returns = (returns - returns.mean()) / (returns.std() + eps)
    for (log_prob, value, entropy), R in zip(model.saved_actions, returns):
        advantage = R - value.item()
        policy_losses.append(-log_prob * advantage - 0.01 * entropy)
        value_losses.append(F.smooth_l1_loss(value, torch.tensor([R])))
    optimizer.zero_grad()
    loss = torch.stack(policy_losses).sum() + torch.stack(value_losses).sum()
    loss.backward()
    optimizer.step()
    del model.rewards[:]
    del model.saved_actions[:]
    return loss


running_reward = 10
for i_episode in range(10):
    state, ep_reward = torch.randn(4), 0
    for t in range(12):
        action = select_action(state)
        reward = float(state[0] > 0) if action == 1 else float(state[0] <= 0)
        state = torch.roll(state, 1) + 0.1 * (action - 0.5)
        model.rewards.append(reward)
        ep_reward += reward
    running_reward = 0.05 * ep_reward + (1 - 0.05) * running_reward
    loss = finish_episode()
    print(
        f"Episode {i_episode}\tLast reward: {ep_reward:.2f}\tAverage: {running_reward:.2f}\tloss {loss.item():.4f}"
    )
# REINFORCE with logits, a baseline, and the gradient of log_prob by hand
logits = torch.zeros(3, requires_grad=True)
dist = Categorical(logits=logits)
(-dist.log_prob(torch.tensor(2)) * 1.5).backward()
print(dist, logits.grad, dist.entropy())
# PPO's clipped objective
old, new = torch.tensor([-1.0, -0.5, -2.0]), torch.tensor([-0.8, -0.9, -1.0], requires_grad=True)
adv = torch.tensor([1.0, -1.0, 2.0])
ratio = torch.exp(new - old)
loss = -torch.min(ratio * adv, torch.clamp(ratio, 0.8, 1.2) * adv).mean()
loss.backward()
print(loss, new.grad)
normal = torch.distributions.Normal(torch.tensor([0.0]), torch.tensor([1.0]))
print(normal.log_prob(torch.tensor([0.3])).sum(-1), normal.rsample().shape)
