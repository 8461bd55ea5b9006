import torch
from torch import nn

torch.manual_seed(0)
backbone = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.AdaptiveAvgPool2d(1))
head = nn.Linear(4, 3)
optimizer = torch.optim.SGD(
    [{"params": backbone.parameters(), "lr": 1e-3}, {"params": head.parameters()}], lr=1e-2
)


def train_mode():
    backbone.train()
    head.train()
    for module in backbone.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.eval()


for epoch in range(3):
    train_mode()
    for _ in range(3):
        x, y = torch.randn(8, 1, 6, 6), torch.randint(0, 3, (8,))
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(head(backbone(x).flatten(1)), y)
        loss.backward()
        optimizer.step()
    print(f"{epoch} {loss.item():.4f}")
