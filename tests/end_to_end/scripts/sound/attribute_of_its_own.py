import torch
from torch import nn


class Noise(nn.Module):
    def __init__(self, requires_grad=False):
        super().__init__()
        self.requires_grad = requires_grad  # of the noise
        self.scale = nn.Parameter(torch.ones(8))

    def forward(self, x):
        return x + self.scale * torch.randn_like(x, requires_grad=self.requires_grad)


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), Noise(), nn.Linear(8, 2))
frozen = nn.Linear(4, 4).requires_grad_(False)
frozen.requires_grad = False
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(32, 4), torch.randint(0, 2, (32,))
for epoch in range(6):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(frozen(x)), y)
    loss.backward()
    optimizer.step()
