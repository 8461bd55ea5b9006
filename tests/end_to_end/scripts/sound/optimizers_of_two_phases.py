import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU())
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        return self.head(self.backbone(x))


torch.manual_seed(0)
m = Net()
x, y = torch.randn(64, 4), torch.randint(0, 2, (64,))


def run(opt, epochs):
    for epoch in range(epochs):
        m.train()
        if not m.backbone[0].weight.requires_grad:
            m.backbone.eval()
        for i in range(0, 64, 16):
            opt.zero_grad()
            loss = nn.functional.cross_entropy(m(x[i : i + 16]), y[i : i + 16])
            loss.backward()
            opt.step()
        m.eval()
        with torch.inference_mode():
            right = (m(x).argmax(1) == y).float().mean().item()
        print(epoch, loss.item(), right)


for p in m.backbone.parameters():
    p.requires_grad = False
run(torch.optim.Adam(filter(lambda p: p.requires_grad, m.parameters()), 1e-2), 2)
for p in m.backbone.parameters():
    p.requires_grad = True
groups = [{"params": m.backbone.parameters(), "lr": 1e-4}, {"params": m.head.parameters()}]
run(torch.optim.Adam(groups, 1e-3), 3)
