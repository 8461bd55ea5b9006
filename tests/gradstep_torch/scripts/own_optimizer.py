import math

import torch
from torch import nn
from torch.optim.optimizer import Optimizer


class Lion(Optimizer):
    def __init__(self, params, lr=1e-4, betas=(0.9, 0.99), weight_decay=0.0):
        if not 0.0 <= lr:
            raise ValueError("Invalid learning rate: {}".format(lr))
        defaults = dict(lr=lr, betas=betas, weight_decay=weight_decay)
        super().__init__(params, defaults)

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                p.data.mul_(1 - group["lr"] * group["weight_decay"])
                grad = p.grad
                state = self.state[p]
                if len(state) == 0:
                    state["exp_avg"] = torch.zeros_like(p)
                exp_avg = state["exp_avg"]
                beta1, beta2 = group["betas"]
                update = exp_avg * beta1 + grad * (1 - beta1)
                p.add_(update.sign_(), alpha=-group["lr"])
                exp_avg.mul_(beta2).add_(grad, alpha=1 - beta2)
        return loss


class MyAdam(Optimizer):
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8):
        super(MyAdam, self).__init__(params, dict(lr=lr, betas=betas, eps=eps))

    def __setstate__(self, state):
        super().__setstate__(state)
        for group in self.param_groups:
            group.setdefault("eps", 1e-8)

    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                grad = p.grad.data
                state = self.state[p]
                if not state:
                    state["step"] = 0
                    state["exp_avg"] = torch.zeros_like(p.data)
                    state["exp_avg_sq"] = torch.zeros_like(p.data)
                m, v = state["exp_avg"], state["exp_avg_sq"]
                b1, b2 = group["betas"]
                state["step"] += 1
                m.mul_(b1).add_(grad, alpha=1 - b1)
                v.mul_(b2).addcmul_(grad, grad, value=1 - b2)
                denom = v.sqrt().add_(group["eps"])
                step_size = (
                    group["lr"] * math.sqrt(1 - b2 ** state["step"]) / (1 - b1 ** state["step"])
                )
                p.data.addcdiv_(m, denom, value=-step_size)


class SAM(Optimizer):
    """Sharpness-aware minimisation around another optimizer."""

    def __init__(self, params, base_optimizer, rho=0.05, **kwargs):
        super().__init__(params, dict(rho=rho, **kwargs))
        self.base_optimizer = base_optimizer(self.param_groups, **kwargs)
        self.param_groups = self.base_optimizer.param_groups
        self.defaults.update(self.base_optimizer.defaults)

    @torch.no_grad()
    def first_step(self, zero_grad=False):
        norm = torch.norm(
            torch.stack(
                [
                    p.grad.norm(p=2)
                    for g in self.param_groups
                    for p in g["params"]
                    if p.grad is not None
                ]
            ),
            p=2,
        )
        for group in self.param_groups:
            scale = group["rho"] / (norm + 1e-12)
            for p in group["params"]:
                if p.grad is None:
                    continue
                self.state[p]["old_p"] = p.data.clone()
                p.add_(p.grad * scale.to(p))
        if zero_grad:
            self.zero_grad()

    @torch.no_grad()
    def second_step(self, zero_grad=False):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    p.data = self.state[p]["old_p"]
        self.base_optimizer.step()
        if zero_grad:
            self.zero_grad()

    def step(self, closure=None):
        closure = torch.enable_grad()(closure)
        self.first_step(zero_grad=True)
        closure()
        self.second_step()


torch.manual_seed(0)
X = torch.randn(64, 3)
y = X @ torch.tensor([[1.0], [-2.0], [0.5]]) + 0.1 * torch.randn(64, 1)


def train(make, n=5):
    torch.manual_seed(1)
    model = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
    opt = make(model.parameters())
    losses = []
    for _ in range(n):

        def closure():
            opt.zero_grad()
            loss = nn.functional.mse_loss(model(X), y)
            loss.backward()
            return loss

        if isinstance(opt, SAM):
            losses.append(closure().item())
            opt.step(closure)
        else:
            loss = closure()
            opt.step()
            losses.append(loss.item())
    return [round(l, 4) for l in losses], opt


for make in (
    lambda p: Lion(p, lr=0.01, weight_decay=0.1),
    lambda p: MyAdam(p, lr=0.05),
    lambda p: torch.optim.Adam(p, lr=0.05),
    lambda p: SAM(p, torch.optim.SGD, lr=0.1, momentum=0.9),
):
    losses, opt = train(make)
    print(type(opt).__name__, losses)
print(train(lambda p: Lion(p))[1])
opt = train(lambda p: MyAdam(p, lr=0.05))[1]
sd = opt.state_dict()
print(sorted(sd), sd["param_groups"], sd["state"][1]["exp_avg"].shape, sd["state"][0]["step"])
other = MyAdam(nn.Linear(2, 1).parameters())
try:
    other.load_state_dict(sd)
except ValueError as e:
    print(str(e)[:60])
hist = []
h1 = opt.register_step_pre_hook(lambda o, a, k: hist.append("pre"))
h2 = opt.register_step_post_hook(lambda o, a, k: hist.append("post"))
opt.step()
h1.remove()
opt.step()
print(hist)
scheduler = torch.optim.lr_scheduler.StepLR(opt, 1, 0.5)
opt.step()
scheduler.step()
print(opt.param_groups[0]["lr"], opt.param_groups[0]["initial_lr"])
try:
    Lion([torch.zeros(1)], lr=-1.0)
except ValueError as e:
    print(e)
