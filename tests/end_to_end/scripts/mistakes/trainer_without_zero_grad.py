import torch
from torch import nn


class Trainer:
    def __init__(self, net, lr):
        self.net = net
        self.opt = torch.optim.Adam(self.net.parameters(), lr=lr)
        self.loss_fn = nn.MSELoss()

    def step(self, x, y):
        pred = self.net(x)
        loss = self.loss_fn(pred, y)
        loss.backward()
        self.opt.step()
        return loss.item()


torch.manual_seed(0)
trainer = Trainer(nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1)), 1e-2)
for epoch in range(3):
    for _ in range(3):
        x = torch.randn(16, 2)
        value = trainer.step(x, x.sum(1, keepdim=True))
    print(f"{epoch} {value:.4f}")
