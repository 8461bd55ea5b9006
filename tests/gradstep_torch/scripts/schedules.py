import math
import warnings

import torch
from torch import nn
from torch.optim.lr_scheduler import LambdaLR, LRScheduler, OneCycleLR, ReduceLROnPlateau


class WarmupCosine(LambdaLR):
    def __init__(self, optimizer, warmup, total, last_epoch=-1):
        self.warmup, self.total = warmup, total
        super().__init__(optimizer, self.lr_lambda, last_epoch=last_epoch)

    def lr_lambda(self, step):
        if step < self.warmup:
            return float(step) / float(max(1.0, self.warmup))
        progress = float(step - self.warmup) / float(max(1, self.total - self.warmup))
        return max(0.0, 0.5 * (1.0 + math.cos(math.pi * progress)))


class Inverse(LRScheduler):
    def __init__(self, optimizer, gamma, last_epoch=-1):
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        return [base / (1 + self.gamma * self.last_epoch) for base in self.base_lrs]


class NoamOpt:
    def __init__(self, model_size, factor, warmup, optimizer):
        self.optimizer, self._step, self.warmup, self.factor, self.model_size = (
            optimizer,
            0,
            warmup,
            factor,
            model_size,
        )

    def step(self):
        self._step += 1
        rate = self.rate()
        for p in self.optimizer.param_groups:
            p["lr"] = rate
        self.optimizer.step()

    def rate(self):
        s = self._step
        return self.factor * (
            self.model_size ** (-0.5) * min(s ** (-0.5), s * self.warmup ** (-1.5))
        )


def adjust_learning_rate(optimizer, epoch, lr):
    lr = lr * (0.1 ** (epoch // 3))
    for param_group in optimizer.param_groups:
        param_group["lr"] = lr


model = nn.Linear(2, 1)
nn.init.constant_(model.weight, 0.5)
nn.init.zeros_(model.bias)
x, y = torch.tensor([[1.0, 2.0]]), torch.tensor([[3.0]])


def run(optimizer, scheduler, n=8):
    lrs = []
    for _ in range(n):
        optimizer.zero_grad()
        loss = ((model(x) - y) ** 2).mean()
        loss.backward()
        optimizer.step()
        lrs.append(round(optimizer.param_groups[0]["lr"], 6))
        scheduler.step() if not isinstance(scheduler, ReduceLROnPlateau) else scheduler.step(loss)
    return lrs


def sgd(lr=0.1, **kw):
    return torch.optim.SGD(model.parameters(), lr=lr, **kw)


opt = sgd()
s = WarmupCosine(opt, 3, 10)
print(run(opt, s), s.get_last_lr(), s.last_epoch)
opt = sgd()
s = Inverse(opt, 0.5)
print(run(opt, s))
state = s.state_dict()
print(sorted(k for k in state if not k.startswith("_")))
opt2 = sgd()
s2 = Inverse(opt2, 0.5)
s2.load_state_dict(state)
print(s2.last_epoch, s2.get_last_lr(), opt2.param_groups[0]["lr"])
opt = sgd(momentum=0.9)
s = OneCycleLR(opt, max_lr=0.1, steps_per_epoch=2, epochs=4)
print(run(opt, s, 7), round(opt.param_groups[0]["momentum"], 5))
try:
    for _ in range(3):
        opt.step()
        s.step()
except ValueError as e:
    print(str(e)[:50])
opt = sgd()
noam = NoamOpt(16, 1, 4, opt)
print([(noam.step(), round(opt.param_groups[0]["lr"], 6))[1] for _ in range(6)])
for epoch in range(7):
    adjust_learning_rate(opt, epoch, 0.1)
print(opt.param_groups[0]["lr"])
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    opt = sgd()
    s = torch.optim.lr_scheduler.ExponentialLR(opt, 0.9)
    s.step()
    opt.step()
    print(opt.param_groups[0]["lr"], [str(w.message)[:66] for w in caught])
opt = torch.optim.SGD([{"params": model.weight, "lr": 0.1}, {"params": model.bias}], lr=0.01)
s = LambdaLR(opt, lr_lambda=[lambda e: 0.5**e, lambda e: 1.0])
opt.step()
s.step()
print(s.get_last_lr(), [g["initial_lr"] for g in opt.param_groups])
try:
    LambdaLR(opt, lr_lambda=[lambda e: 1.0])
except ValueError as e:
    print(e)
opt = sgd()
s = ReduceLROnPlateau(
    opt,
    mode="max",
    factor=0.1,
    patience=1,
    threshold=0.01,
    threshold_mode="abs",
    min_lr=1e-4,
    cooldown=1,
)
for metric in [0.5, 0.6, 0.6, 0.605, 0.6, 0.6, 0.6, 0.6]:
    s.step(metric)
    print(round(opt.param_groups[0]["lr"], 6), end=" ")
print()
opt = sgd()
s = torch.optim.lr_scheduler.ChainedScheduler(
    [
        torch.optim.lr_scheduler.ConstantLR(opt, 0.1, 2),
        torch.optim.lr_scheduler.ExponentialLR(opt, 0.9),
    ]
)
print(run(opt, s, 5))
opt = sgd()
s = torch.optim.lr_scheduler.MultiplicativeLR(opt, lambda e: 0.95)
print(run(opt, s, 4))
