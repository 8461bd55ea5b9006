import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)


class CenterLoss(nn.Module):
    def __init__(self, classes, features):
        super().__init__()
        self.centers = nn.Parameter(torch.randn(classes, features))

    def forward(self, x, y):
        return (x - self.centers[y]).pow(2).sum(1).mean()


trunk, head = nn.Sequential(nn.Linear(6, 4), nn.Tanh()), nn.Linear(4, 3)
center_loss = CenterLoss(3, 4)
optimizer = torch.optim.SGD([*trunk.parameters(), *head.parameters()], lr=0.1)
for step in range(20):
    x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
    features = trunk(x)
    loss = F.cross_entropy(head(features), y) + 0.1 * center_loss(features, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step == 10:
        center_optimizer = torch.optim.SGD(center_loss.parameters(), lr=0.5)
    if step >= 10:
        center_optimizer.step()
        center_optimizer.zero_grad()
print(f"{loss.item():.4f}")
