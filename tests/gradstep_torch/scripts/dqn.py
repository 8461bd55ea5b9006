import random
from collections import deque, namedtuple

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim

random.seed(0)
torch.manual_seed(0)
Transition = namedtuple("Transition", ("state", "action", "next_state", "reward"))


class ReplayMemory(object):
    def __init__(self, capacity):
        self.memory = deque([], maxlen=capacity)

    def push(self, *args):
        self.memory.append(Transition(*args))

    def sample(self, batch_size):
        return random.sample(self.memory, batch_size)

    def __len__(self):
        return len(self.memory)


class DQN(nn.Module):
    def __init__(self, n_observations, n_actions):
        super(DQN, self).__init__()
        self.layer1 = nn.Linear(n_observations, 16)
        self.layer2 = nn.Linear(16, 16)
        self.layer3 = nn.Linear(16, n_actions)

    def forward(self, x):
        x = F.relu(self.layer1(x))
        x = F.relu(self.layer2(x))
        return self.layer3(x)


BATCH_SIZE, GAMMA, TAU = 16, 0.9, 0.05
policy_net, target_net = DQN(2, 3), DQN(2, 3)
target_net.load_state_dict(policy_net.state_dict())
optimizer = optim.AdamW(policy_net.parameters(), lr=1e-2, amsgrad=True)
memory = ReplayMemory(200)


def select_action(state, eps):
    if random.random() > eps:
        with torch.no_grad():
            return policy_net(state).max(1).indices.view(1, 1)
    return torch.tensor([[random.randrange(3)]], dtype=torch.long)


def optimize_model():
    if len(memory) < BATCH_SIZE:
        return None
    batch = Transition(*zip(*memory.sample(BATCH_SIZE)))
    non_final_mask = torch.tensor(
        tuple(map(lambda s: s is not None, batch.next_state)), dtype=torch.bool
    )
    non_final_next_states = torch.cat([s for s in batch.next_state if s is not None])
    state_batch, action_batch, reward_batch = (
        torch.cat(batch.state),
        torch.cat(batch.action),
        torch.cat(batch.reward),
    )
    state_action_values = policy_net(state_batch).gather(1, action_batch)
    next_state_values = torch.zeros(BATCH_SIZE)
    with torch.no_grad():
        next_state_values[non_final_mask] = target_net(non_final_next_states).max(1).values
    expected = (next_state_values * GAMMA) + reward_batch
    criterion = nn.SmoothL1Loss()
    loss = criterion(state_action_values, expected.unsqueeze(1))
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_value_(policy_net.parameters(), 100)
    optimizer.step()
    return loss.item()


state, steps = torch.tensor([[1.0, -1.0]]), 0
for t in range(60):
    action = select_action(state, 0.5)
    x = state + 0.1 * (action.float() - 1) * torch.tensor([[1.0, -1.0]])
    reward = torch.tensor([-x.abs().sum().item()])
    done = t % 15 == 14
    memory.push(state, action, None if done else x, reward)
    state = torch.randn(1, 2) if done else x
    loss = optimize_model()
    # soft update
    target_sd, policy_sd = target_net.state_dict(), policy_net.state_dict()
    for key in policy_sd:
        target_sd[key] = policy_sd[key] * TAU + target_sd[key] * (1 - TAU)
    target_net.load_state_dict(target_sd)
    if t % 10 == 9:
        print(t, loss if loss is None else round(loss, 4), action.item())
# the other way of a soft update, and a hard one
for tp, p in zip(target_net.parameters(), policy_net.parameters()):
    tp.data.copy_(TAU * p.data + (1.0 - TAU) * tp.data)
print(target_net.layer1.weight[0], policy_net.layer1.weight[0])
for tp, p in zip(target_net.parameters(), policy_net.parameters()):
    tp.data.lerp_(p.data, 0.5)
print((target_net.layer1.weight - policy_net.layer1.weight).abs().max())
target_net.load_state_dict(policy_net.state_dict())
print(
    torch.equal(target_net.layer1.weight, policy_net.layer1.weight),
    target_net.layer1.weight is policy_net.layer1.weight,
)
# what happens without no_grad: gradients flow into the target network
F.mse_loss(policy_net(state), target_net(state)).backward()
print([p.grad is None for p in target_net.parameters()])
