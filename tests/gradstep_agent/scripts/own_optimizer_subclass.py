import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
x = torch.randn(32, 4)
y = x.sum(1, keepdim=True)


class Noisy(torch.optim.SGD):
    """Adds nothing, but calls super().step()."""

    def step(self, closure=None):
        return super().step(closure)


class Plain(torch.optim.Optimizer):
    def __init__(self, params, lr):
        super().__init__(params, {"lr": lr})

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    p.add_(p.grad, alpha=-group["lr"])


model = nn.Linear(4, 1)
first, second = Noisy(model.parameters(), lr=0.01), Plain(model.parameters(), lr=0.01)
for _ in range(3):
    for optimizer in (first, second):
        optimizer.zero_grad()
        loss = F.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
print(loss.item())
