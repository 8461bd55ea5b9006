import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)


class ArcFaceLoss(nn.Module):
    def __init__(self, features, classes, margin=0.2, scale=8.0):
        super().__init__()
        self.W = nn.Parameter(torch.randn(classes, features))
        self.margin, self.scale = margin, scale

    def forward(self, x, y):
        cosine = F.linear(F.normalize(x), F.normalize(self.W))
        margins = self.margin * F.one_hot(y, len(self.W))
        return F.cross_entropy(self.scale * (cosine - margins), y)


model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 4))
criterion = ArcFaceLoss(4, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(8):
    x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
    loss = criterion(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.4f}")
