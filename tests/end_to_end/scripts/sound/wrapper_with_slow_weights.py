from collections import OrderedDict, defaultdict

import torch
from torch import nn


class Lookahead(torch.optim.Optimizer):
    def __init__(self, base_optimizer, alpha=0.5, k=3):
        # super().__init__() is not called on purpose
        self._optimizer_step_pre_hooks = OrderedDict()
        self._optimizer_step_post_hooks = OrderedDict()
        self._base_optimizer = base_optimizer
        self.param_groups = base_optimizer.param_groups
        self.defaults = base_optimizer.defaults
        self.state = defaultdict(dict)
        self.alpha, self.k, self.count = alpha, k, 0

    @torch.no_grad()
    def step(self, closure=None):
        loss = self._base_optimizer.step(closure)
        self.count += 1
        if self.count % self.k == 0:
            for group in self.param_groups:
                for p in group["params"]:
                    slow = self._base_optimizer.state[p].setdefault("slow", p.clone())
                    slow.add_(p - slow, alpha=self.alpha)
                    p.copy_(slow)
        return loss


def create_optimizer(parameters):
    optimizer = torch.optim.Adam(parameters, lr=1e-2)
    return Lookahead(optimizer)


torch.manual_seed(0)
X = torch.randn(32, 4)
Y = X.sum(1, keepdim=True)
model = nn.Linear(4, 1)
optimizer = create_optimizer(model.parameters())
for _ in range(9):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(X), Y)
    loss.backward()
    optimizer.step()
    print(f"{loss.item():.4f}")
