import torch
from torch import nn

torch.manual_seed(0)
critic = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
policy = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2))
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
for step in range(8):
    loss = -critic(policy(torch.randn(16, 3))).mean()
    policy.zero_grad()
    critic.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.4f}")
