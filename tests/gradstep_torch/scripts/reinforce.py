import random

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn, optim
from torch.distributions import Categorical

torch.manual_seed(543)
random.seed(1)


class Policy(nn.Module):
    def __init__(self):
        super(Policy, self).__init__()
        self.affine1 = nn.Linear(4, 32)
        self.dropout = nn.Dropout(p=0.0)
        self.affine2 = nn.Linear(32, 2)
        self.saved_log_probs = []
        self.rewards = []

    def forward(self, x):
        x = self.affine1(x)
        x = self.dropout(x)
        x = F.relu(x)
        return F.softmax(self.affine2(x), dim=1)


policy = Policy()
optimizer = optim.Adam(policy.parameters(), lr=1e-2)
eps = np.finfo(np.float32).eps.item()


class Env:
    def reset(self):
        self.s = np.array([0.1, -0.2, 0.3, 0.05])
        self.t = 0
        return self.s

    def step(self, a):
        self.s = self.s * 0.95 + (0.1 if a else -0.1) * np.array([1, 0.5, -0.3, 0.2])
        self.t += 1
        return self.s, 1.0 - abs(self.s[0]), self.t >= 15, {}


def select_action(state):
    state = torch.from_numpy(state).float().unsqueeze(0)
    probs = policy(state)
    m = Categorical(probs)
    action = m.sample()
    policy.saved_log_probs.append(m.log_prob(action))
    return action.item()


def finish_episode():
    R = 0
    policy_loss = []
    returns = []
    for r in policy.rewards[::-1]:
        R = r + 0.99 * R
        returns.insert(0, R)
    returns = torch.tensor(returns)
    returns = (returns - returns.mean()) / (returns.std() + eps)
    for log_prob, R in zip(policy.saved_log_probs, returns):
        policy_loss.append(-log_prob * R)
    optimizer.zero_grad()
    policy_loss = torch.cat(policy_loss).sum()
    policy_loss.backward()
    optimizer.step()
    del policy.rewards[:]
    del policy.saved_log_probs[:]
    return policy_loss


env = Env()
for ep in range(8):
    state = env.reset()
    tot = 0
    for t in range(100):
        action = select_action(state)
        state, reward, done, _ = env.step(action)
        policy.rewards.append(reward)
        tot += reward
        if done:
            break
    l = finish_episode()
    print(
        "Episode {}\tReward: {:.2f}\tloss {:.5f}".format(ep, tot, l),
        l.dtype,
    )
m = Categorical(logits=torch.tensor([[1.0, 2.0, 0.5]]))
print(m, m.probs, m.entropy(), m.log_prob(torch.tensor([1])), m.sample((3,)).shape)
print(Categorical(torch.tensor([0.25, 0.75])), Categorical(torch.ones(3)).probs)
# actor critic
from collections import namedtuple

SavedAction = namedtuple("SavedAction", ["log_prob", "value"])


class AC(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 8)
        self.pi = nn.Linear(8, 2)
        self.v = nn.Linear(8, 1)

    def forward(self, x):
        x = F.relu(self.a(x))
        return F.softmax(self.pi(x), dim=-1), self.v(x)


ac = AC()
saved = []
for i in range(5):
    p, v = ac(torch.from_numpy(np.ones(4) * i).float())
    mm = Categorical(p)
    a = mm.sample()
    saved.append(SavedAction(mm.log_prob(a), v))
returns = torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0])
pl, vl = [], []
for (lp, v), R in zip(saved, returns):
    adv = R - v.item()
    pl.append(-lp * adv)
    vl.append(F.smooth_l1_loss(v, torch.tensor([R])))
loss = torch.stack(pl).sum() + torch.stack(vl).sum()
loss.backward()
print(loss, ac.a.weight.grad.abs().sum())
