import copy
import math
import os
import tempfile

import torch
from torch import nn

torch.manual_seed(3)
X = torch.randn(64, 5)
Y = (X.sum(1, keepdim=True) > 0).float()


def mk():
    return nn.Sequential(
        nn.Linear(5, 16, bias=False), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 1)
    )


# gradient accumulation
m = mk()
opt = torch.optim.SGD(m.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4, nesterov=True)
acc = 4
for step, (x, y) in enumerate(zip(X.split(8), Y.split(8))):
    loss = nn.BCEWithLogitsLoss()(m(x), y) / acc
    loss.backward()
    if (step + 1) % acc == 0:
        g = nn.utils.clip_grad_norm_(m.parameters(), max_norm=2.0, norm_type=2)
        opt.step()
        opt.zero_grad()
        print(f"step {step}: {loss.item() * acc:.4f} grad {g:.4f}", g)
# EMA
ema = copy.deepcopy(m)
for p in ema.parameters():
    p.requires_grad_(False)


@torch.no_grad()
def update(ema, m, decay=0.9):
    for e, p in zip(ema.state_dict().values(), m.state_dict().values()):
        if e.dtype.is_floating_point:
            e.mul_(decay).add_(p.detach(), alpha=1 - decay)
        else:
            e.copy_(p)


for i in range(5):
    opt.zero_grad()
    nn.functional.binary_cross_entropy_with_logits(m(X), Y).backward()
    opt.step()
    update(ema, m)
print(ema[0].weight[0], m[0].weight[0], ema[1].num_batches_tracked, ema[1].running_var[:2])
# freezing
for name, p in m.named_parameters():
    if name.startswith("0."):
        p.requires_grad = False
opt = torch.optim.Adam(filter(lambda p: p.requires_grad, m.parameters()), lr=1e-2)
before = m[0].weight.clone()
nn.functional.binary_cross_entropy_with_logits(m(X), Y).backward()
opt.step()
print(
    torch.equal(before, m[0].weight),
    m[0].weight.grad is None or True,
    [n for n, p in m.named_parameters() if p.requires_grad],
)
# param groups
opt = torch.optim.SGD(
    [{"params": m[0].parameters()}, {"params": m[3].parameters(), "lr": 1e-3}],
    lr=1e-2,
    momentum=0.9,
)
print(opt)
opt.add_param_group({"params": m[1].parameters(), "weight_decay": 0.1})
print(len(opt.param_groups), opt.param_groups[2]["lr"], sorted(opt.param_groups[2]))


# weight tying
class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(10, 4)
        self.out = nn.Linear(4, 10, bias=False)
        self.out.weight = self.emb.weight

    def forward(self, i):
        return self.out(self.emb(i))


t = Tied()
print(
    len(list(t.parameters())),
    sorted(t.state_dict()),
    [n for n, _ in t.named_parameters()],
    [n for n, _ in t.named_parameters(remove_duplicate=False)],
)
l = nn.CrossEntropyLoss()(t(torch.arange(10)), torch.arange(10))
l.backward()
print(l, t.emb.weight.grad[0], t.out.weight.grad is t.emb.weight.grad)


# schedulers
def lrs(make, n=8):
    p = nn.Parameter(torch.zeros(1))
    o = torch.optim.SGD([p], lr=0.1)
    s = make(o)
    r = []
    for _ in range(n):
        r.append(round(o.param_groups[0]["lr"], 6))
        o.step()
        s.step()
    return r, s.get_last_lr()


S = torch.optim.lr_scheduler
for mk_ in [
    lambda o: S.StepLR(o, 3, 0.5),
    lambda o: S.ExponentialLR(o, 0.9),
    lambda o: S.CosineAnnealingLR(o, 5, 1e-3),
    lambda o: S.OneCycleLR(o, max_lr=1.0, total_steps=10),
    lambda o: S.LambdaLR(o, lambda e: 1 / (e + 1)),
    lambda o: S.MultiStepLR(o, [2, 5], 0.1),
    lambda o: S.CosineAnnealingWarmRestarts(o, 3, 2),
    lambda o: S.SequentialLR(o, [S.LinearLR(o, 0.1, 1, 3), S.CosineAnnealingLR(o, 5)], [3]),
    lambda o: S.CyclicLR(o, 0.01, 0.1, 3, cycle_momentum=False),
    lambda o: S.PolynomialLR(o, 5, 2),
]:
    print(lrs(mk_))
o = torch.optim.SGD([nn.Parameter(torch.zeros(1))], lr=0.1)
s = S.ReduceLROnPlateau(o, "min", patience=1, factor=0.5)
for v in [1, 0.9, 0.95, 0.96, 0.97, 0.5, 0.6, 0.7, 0.8]:
    s.step(v)
    print(o.param_groups[0]["lr"], end=" ")
print(s.num_bad_epochs, s.best, s.state_dict()["last_epoch"], s.get_last_lr())


# early stopping, checkpoints
class EarlyStopping:
    def __init__(self, patience=3, delta=0.0, path=os.path.join(tempfile.mkdtemp(), "ckpt.pt")):
        self.patience, self.delta, self.path, self.best, self.counter, self.stop = (
            patience,
            delta,
            path,
            None,
            0,
            False,
        )

    def __call__(self, v, model):
        if self.best is None or v < self.best - self.delta:
            print(
                f"Validation loss decreased ({self.best if self.best is not None else math.inf:.4f} --> {v:.4f}).  Saving model ..."
            )
            self.best = v
            torch.save(model.state_dict(), self.path)
            self.counter = 0
        else:
            self.counter += 1
            print(f"EarlyStopping counter: {self.counter} out of {self.patience}")
            self.stop = self.counter >= self.patience


es = EarlyStopping()
for p in m.parameters():
    p.requires_grad = True
opt = torch.optim.Adam(m.parameters(), lr=0.003)
for ep in range(30):
    m.train()
    opt.zero_grad()
    nn.functional.binary_cross_entropy_with_logits(m(X[:48]), Y[:48]).backward()
    opt.step()
    m.eval()
    with torch.no_grad():
        v = nn.functional.binary_cross_entropy_with_logits(m(X[48:]), Y[48:]).item()
    es(v, m)
    if es.stop:
        print("Early stopping", ep)
        break
m.load_state_dict(torch.load(es.path, weights_only=True))
print(((torch.sigmoid(m(X[48:])) > 0.5) == Y[48:].bool()).float().mean().item())
torch.save(
    {
        "epoch": ep,
        "model_state_dict": m.state_dict(),
        "optimizer_state_dict": opt.state_dict(),
        "loss": v,
    },
    es.path,
)
ck = torch.load(es.path)
m2 = mk()
print(m2.load_state_dict(ck["model_state_dict"]))
o2 = torch.optim.Adam(m2.parameters())
o2.load_state_dict(ck["optimizer_state_dict"])
print(o2, ck["epoch"], ck.keys(), type(ck["model_state_dict"]).__name__)
try:
    m2.load_state_dict(
        {
            "0.weight": torch.zeros(3, 3),
            "1.num_batches_tracked": torch.tensor(0),
            "foo": torch.zeros(1),
        }
    )
except RuntimeError as e:
    print(e)
print(
    m2.load_state_dict(
        {"3.bias": torch.zeros(1), "1.num_batches_tracked": torch.tensor(0)}, strict=False
    )
)
print(m.training, m.eval() is m, m.train().training)
