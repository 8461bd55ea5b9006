import torch
from torch import autograd, nn

torch.manual_seed(0)
critic = nn.Sequential(nn.Linear(2, 8), nn.Softplus(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3, betas=(0.5, 0.9))
for step in range(3):
    real, fake = torch.randn(6, 2) + 1, torch.randn(6, 2)
    mixed = torch.lerp(real, fake, torch.rand(6, 1)).requires_grad_()
    (slope,) = autograd.grad(critic(mixed).sum(), mixed, create_graph=True)
    penalty = (slope.norm(2, dim=1) - 1).pow(2).mean()
    loss = critic(fake).mean() - critic(real).mean() + 10 * penalty
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item(), penalty.item())
