import copy
import random
from collections import deque, namedtuple

import torch
import torch.nn.functional as F
from torch import nn, optim

random.seed(0)
torch.manual_seed(0)
device = torch.device(
    "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
)
Transition = namedtuple("Transition", ("state", "action", "next_state", "reward"))


class ReplayMemory(object):
    def __init__(self, capacity):
        self.memory = deque(maxlen=capacity)

    def push(self, *args):
        self.memory.append(Transition(*args))

    def sample(self, batch_size):
        return random.sample(self.memory, batch_size)

    def __len__(self):
        return len(self.memory)


class DQN(nn.Module):
    def __init__(self, n_observations, n_actions):
        super(DQN, self).__init__()
        self.layer1 = nn.Linear(n_observations, 32)
        self.layer2 = nn.Linear(32, 32)
        self.layer3 = nn.Linear(32, n_actions)

    def forward(self, x):
        x = F.relu(self.layer1(x))
        x = F.relu(self.layer2(x))
        return self.layer3(x)


policy_net = DQN(4, 2).to(device)
target_net = DQN(4, 2).to(device)
target_net.load_state_dict(policy_net.state_dict())
optimizer = optim.AdamW(policy_net.parameters(), lr=1e-4, amsgrad=True)
memory = ReplayMemory(1000)
state = torch.randn(1, 4)
for t in range(60):
    if random.random() > 0.5:
        with torch.no_grad():
            action = policy_net(state).max(1).indices.view(1, 1)
    else:
        action = torch.tensor([[random.randint(0, 1)]], device=device, dtype=torch.long)
    done = random.random() < 0.1
    next_state = None if done else state * 0.9 + 0.1 * torch.randn(1, 4)
    reward = torch.tensor([random.random()], device=device)
    memory.push(state, action, next_state, reward)
    state = torch.randn(1, 4) if done else next_state
    if len(memory) < 16:
        continue
    transitions = memory.sample(16)
    batch = Transition(*zip(*transitions))
    non_final_mask = torch.tensor(
        tuple(map(lambda s: s is not None, batch.next_state)), device=device, dtype=torch.bool
    )
    non_final_next_states = torch.cat([s for s in batch.next_state if s is not None])
    state_batch = torch.cat(batch.state)
    action_batch = torch.cat(batch.action)
    reward_batch = torch.cat(batch.reward)
    state_action_values = policy_net(state_batch).gather(1, action_batch)
    next_state_values = torch.zeros(16, device=device)
    with torch.no_grad():
        next_state_values[non_final_mask] = target_net(non_final_next_states).max(1).values
    expected = (next_state_values * 0.99) + reward_batch
    loss = nn.SmoothL1Loss()(state_action_values, expected.unsqueeze(1))
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_value_(policy_net.parameters(), 100)
    optimizer.step()
    tsd, psd = target_net.state_dict(), policy_net.state_dict()
    for key in psd:
        tsd[key] = psd[key] * 0.005 + tsd[key] * (1 - 0.005)
    target_net.load_state_dict(tsd)
    if t % 10 == 0:
        print(t, f"{loss.item():.5f}", non_final_mask.sum(), action.item())
print(next_state_values, non_final_mask)
print(policy_net(torch.zeros(4)).argmax().item(), optimizer)
t2 = copy.deepcopy(policy_net)
print(
    torch.equal(t2.layer1.weight, policy_net.layer1.weight),
    t2.layer1.weight is policy_net.layer1.weight,
)
q, idx = policy_net(torch.ones(3, 4)).max(dim=1)
print(q, idx)
print(torch.max(policy_net(torch.ones(3, 4)), 1))
for tp, pp in zip(target_net.parameters(), policy_net.parameters()):
    tp.data.copy_(0.5 * pp.data + 0.5 * tp.data)
print(target_net.layer3.bias)
