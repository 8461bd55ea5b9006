import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn(32, 4)
y = x.sum(1, keepdim=True)

critic = nn.Linear(4, 1)
optimizer = torch.optim.RMSprop(critic.parameters(), lr=5e-3)
for _ in range(3):
    optimizer.zero_grad()
    loss = -critic(x).mean()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for p in critic.parameters():
            p.clamp_(-0.1, 0.1)
print(loss.item())
