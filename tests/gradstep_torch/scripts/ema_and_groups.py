import logging
import sys

import torch
import torch.nn as nn
from torch.nn.utils import clip_grad_norm_, clip_grad_value_

logging.basicConfig(
    stream=sys.stdout, format="%(levelname)s %(message)s", level=logging.INFO, force=True
)
log = logging.getLogger("train")
torch.manual_seed(0)


class EMA:
    def __init__(self, model, decay):
        self.model, self.decay, self.shadow, self.backup = model, decay, {}, {}

    def register(self):
        for name, param in self.model.named_parameters():
            if param.requires_grad:
                self.shadow[name] = param.data.clone()

    def update(self):
        for name, param in self.model.named_parameters():
            if param.requires_grad:
                assert name in self.shadow
                self.shadow[name] = (
                    (1.0 - self.decay) * param.data + self.decay * self.shadow[name]
                ).clone()

    def apply_shadow(self):
        for name, param in self.model.named_parameters():
            if param.requires_grad:
                self.backup[name] = param.data
                param.data = self.shadow[name]

    def restore(self):
        for name, param in self.model.named_parameters():
            if param.requires_grad:
                param.data = self.backup[name]
        self.backup = {}


model = nn.Sequential(nn.Linear(4, 16), nn.LayerNorm(16), nn.GELU(), nn.Linear(16, 1))
decay, no_decay = [], []
for name, param in model.named_parameters():
    (no_decay if param.ndim <= 1 or name.endswith(".bias") else decay).append(param)
groups = [
    {"params": decay, "weight_decay": 0.1, "name": "decay"},
    {"params": no_decay, "weight_decay": 0.0, "name": "no_decay", "lr": 5e-3},
]
optimizer = torch.optim.AdamW(groups, lr=1e-2, betas=(0.9, 0.95))
for g in optimizer.param_groups:
    print(g["name"], len(g["params"]), g["lr"], g["weight_decay"], g["betas"])
ema = EMA(model, 0.9)
ema.register()
X = torch.randn(32, 4)
Y = X.pow(2).sum(1, keepdim=True)


def grad_norm(parameters):
    total = 0.0
    for p in parameters:
        if p.grad is not None:
            total += p.grad.detach().data.norm(2).item() ** 2
    return total**0.5


for step in range(6):
    optimizer.zero_grad(set_to_none=step % 2 == 0)
    loss = nn.functional.mse_loss(model(X), Y)
    loss.backward()
    before = grad_norm(model.parameters())
    total_norm = clip_grad_norm_(model.parameters(), max_norm=1.0)
    after = grad_norm(model.parameters())
    optimizer.step()
    ema.update()
    log.info(
        "step %d loss %.4f norm %.4f -> %.4f (%.4f)", step, loss.item(), before, after, total_norm
    )
ema.apply_shadow()
with torch.no_grad():
    print(nn.functional.mse_loss(model(X), Y))
ema.restore()
with torch.no_grad():
    print(nn.functional.mse_loss(model(X), Y))
p = nn.Parameter(torch.tensor([3.0, 4.0]))
p.grad = torch.tensor([30.0, -40.0])
print(
    clip_grad_norm_([p], 5.0),
    p.grad,
    clip_grad_norm_(p, 10, norm_type=float("inf")),
    clip_grad_norm_([], 1.0),
)
clip_grad_value_(p, 1.0)
print(p.grad)
p.grad = torch.tensor([float("nan"), 1.0])
try:
    clip_grad_norm_([p], 1.0, error_if_nonfinite=True)
except RuntimeError as e:
    print(str(e)[:46])
print(clip_grad_norm_([p], 1.0), p.grad)
# a layer added later, another thawed, another frozen
opt = torch.optim.SGD(model[3].parameters(), lr=0.1, momentum=0.9)
for q in model[0].parameters():
    q.requires_grad_(False)
nn.functional.mse_loss(model(X), Y).backward()
opt.step()
print(len(opt.state), [q.requires_grad for q in model.parameters()], model[0].weight.grad is None)
for q in model[0].parameters():
    q.requires_grad_(True)
opt.add_param_group({"params": model[0].parameters(), "lr": 1e-3})
print(len(opt.param_groups), opt.param_groups[1]["lr"], opt.param_groups[1]["momentum"])
try:
    opt.add_param_group({"params": model[3].bias})
except ValueError as e:
    print(str(e)[:55])
# momentum and decay move a parameter whose gradient is zero; None leaves it alone
for kind, options in (
    ("SGD", {"momentum": 0.9}),
    ("SGD", {"weight_decay": 0.1}),
    ("Adam", {}),
    ("AdamW", {"weight_decay": 0.1}),
):
    for set_to_none in (True, False):
        q = nn.Parameter(torch.tensor([1.0]))
        o = getattr(torch.optim, kind)([q], lr=0.1, **options)
        q.sum().backward()
        o.step()
        value = q.item()
        o.zero_grad(set_to_none=set_to_none)
        o.step()
        print(kind, options, set_to_none, f"{q.item() - value:.5f}", q.grad)
