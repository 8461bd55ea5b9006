import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
x = torch.randn(32, 4)
y = x.sum(1, keepdim=True)


class Trainer:
    def __init__(self, net):
        self.net = net
        self.optim = torch.optim.RMSprop(net.parameters(), lr=0.01)
        self.history = []

    def step(self):
        self.optim.zero_grad(set_to_none=False)
        self.loss = F.l1_loss(self.net(x), y)
        self.loss.backward()
        self.optim.step()
        self.history.append(self.loss.item())

    def fit(self, steps):
        for _ in range(steps):
            self.step()


trainer = Trainer(nn.Linear(4, 1))
trainer.fit(5)
print(trainer.history)
