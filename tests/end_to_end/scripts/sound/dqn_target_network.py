import torch
from torch import nn

torch.manual_seed(0)
policy_net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
target_net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
target_net.load_state_dict(policy_net.state_dict())
optimizer = torch.optim.AdamW(policy_net.parameters(), lr=1e-3, amsgrad=True)
for step in range(10):
    state = torch.randn(16, 4)
    action, reward = torch.randint(0, 2, (16, 1)), torch.randn(16)
    q = policy_net(state).gather(1, action)
    with torch.no_grad():
        target = reward + 0.9 * target_net(torch.randn(16, 4)).max(1).values
    loss = nn.SmoothL1Loss()(q, target.unsqueeze(1))
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_value_(policy_net.parameters(), 100)
    optimizer.step()
    if step % 4 == 3:
        target_net.load_state_dict(policy_net.state_dict())
