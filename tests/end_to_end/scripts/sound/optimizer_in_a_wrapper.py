import torch
from torch import nn


class Wrapped(torch.optim.Optimizer):
    def __init__(self, optimizer):
        self.optimizer = optimizer

    @property
    def param_groups(self):
        return self.optimizer.param_groups

    @property
    def state(self):
        return self.optimizer.state

    @property
    def defaults(self):
        return self.optimizer.defaults

    def zero_grad(self, set_to_none=True):
        self.optimizer.zero_grad(set_to_none)

    def step(self, closure=None):
        self.optimizer.step(closure)


torch.manual_seed(0)
X = torch.randn(32, 4)
Y = X.sum(1, keepdim=True)
model = nn.Linear(4, 1)
optimizer = Wrapped(torch.optim.AdamW(model.parameters(), lr=1e-2))
for _ in range(20):
    loss = nn.functional.mse_loss(model(X), Y)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad()
