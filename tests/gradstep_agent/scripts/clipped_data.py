import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn(32, 4)

critic = nn.Linear(4, 1)
optimizer = torch.optim.RMSprop(critic.parameters(), lr=0.05)
for _ in range(3):
    for p in critic.parameters():
        p.data.clamp_(-0.1, 0.1)
    optimizer.zero_grad()
    loss = critic(x).mean() - critic(x * x).mean()
    loss.backward()
    optimizer.step()
print(loss.item(), critic.weight.tolist())
