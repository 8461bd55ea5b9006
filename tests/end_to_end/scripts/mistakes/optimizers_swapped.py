import torch
from torch import nn

torch.manual_seed(0)
generator = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
critic = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
opt_critic = torch.optim.Adam(generator.parameters(), lr=2e-4)
opt_gen = torch.optim.Adam(critic.parameters(), lr=2e-4)
for i in range(6):
    opt_critic.zero_grad()
    critic_loss = critic(generator(torch.randn(16, 4)).detach()).mean()
    critic_loss = critic_loss - critic(torch.randn(16, 2) + 1).mean()
    critic_loss.backward()
    opt_critic.step()
    opt_gen.zero_grad()
    gen_loss = -critic(generator(torch.randn(16, 4))).mean()
    gen_loss.backward()
    opt_gen.step()
print(f"{gen_loss.item():.4f} {critic_loss.item():.4f}")
