"""A wrapper with groups of its own, which clears and steps by means of its optimizer."""

import torch
from torch import nn


class Lookahead(torch.optim.Optimizer):
    def __init__(self, optimizer, k=3, alpha=0.5):
        self.optimizer = optimizer
        groups = [{"params": list(group["params"])} for group in optimizer.param_groups]
        super().__init__(groups, {"k": k, "alpha": alpha, "count": 0})
        for group in self.param_groups:
            for p in group["params"]:
                self.state[p]["slow"] = p.detach().clone()

    def zero_grad(self, set_to_none=True):
        self.optimizer.zero_grad(set_to_none)

    @torch.no_grad()
    def step(self, closure=None):
        loss = self.optimizer.step(closure)
        for group in self.param_groups:
            group["count"] += 1
            if group["count"] % group["k"] == 0:
                for p in group["params"]:
                    slow = self.state[p]["slow"]
                    slow.lerp_(p, group["alpha"])
                    p.copy_(slow)
        return loss


torch.manual_seed(0)
model = nn.Linear(4, 1)
opt = Lookahead(torch.optim.Adam(model.parameters(), lr=1e-2))
for step in range(15):
    x = torch.randn(32, 4)
    opt.zero_grad()
    loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    loss.backward()
    opt.step()
    if step % 5 == 0:
        print(loss.item())
