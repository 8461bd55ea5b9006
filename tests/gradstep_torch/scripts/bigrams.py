import math
import time

import torch
from torch import nn, optim
from torch.nn import functional as F

torch.manual_seed(42)
# makemore / micro
words = ["emma", "olivia", "ava", "isabella", "sophia", "mia"]
chars = sorted(list(set("".join(words))))
stoi = {s: i + 1 for i, s in enumerate(chars)}
stoi["."] = 0
itos = {i: s for s, i in stoi.items()}
V = len(itos)
N = torch.zeros((V, V), dtype=torch.int32)
for w in words:
    for a, b in zip("." + w, w + "."):
        N[stoi[a], stoi[b]] += 1
print(N[:3], N.sum(), N.dtype)
P = (N + 1).float()
P /= P.sum(1, keepdim=True)
print(P[0], P.sum(1))
g = torch.Generator().manual_seed(2147483647)
p = torch.rand(3, generator=g)
print(p / p.sum(), torch.multinomial(p, num_samples=20, replacement=True, generator=g))
out, ix = [], 0
for _ in range(10):
    ix = torch.multinomial(P[ix], num_samples=1, replacement=True, generator=g).item()
    out.append(itos[ix])
print("".join(out))
xs, ys = [], []
for w in words:
    for a, b in zip("." + w, w + "."):
        xs.append(stoi[a])
        ys.append(stoi[b])
xs, ys = torch.tensor(xs), torch.tensor(ys)
W = torch.randn((V, V), generator=g, requires_grad=True)
for k in range(10):
    xenc = F.one_hot(xs, num_classes=V).float()
    logits = xenc @ W
    counts = logits.exp()
    probs = counts / counts.sum(1, keepdims=True)
    loss = -probs[torch.arange(xs.nelement()), ys].log().mean() + 0.01 * (W**2).mean()
    W.grad = None
    loss.backward()
    W.data += -10 * W.grad
    if k % 3 == 0:
        print(k, loss.item().__round__(4), loss)
C = torch.randn((V, 2), generator=g)
W1 = torch.randn((6, 10), generator=g) * (5 / 3) / (6**0.5)
b1 = torch.randn(10, generator=g) * 0.01
W2 = torch.randn((10, V), generator=g) * 0.01
b2 = torch.zeros(V)
bngain = torch.ones((1, 10))
bnbias = torch.zeros((1, 10))
ps = [C, W1, b1, W2, b2, bngain, bnbias]
for q in ps:
    q.requires_grad = True
X = torch.stack([xs[:-2], xs[1:-1], xs[2:]], 1)
Y = ys[2:]
for i in range(5):
    emb = C[X]
    h = emb.view(emb.shape[0], -1) @ W1 + b1
    bm = h.mean(0, keepdim=True)
    bs = h.std(0, keepdim=True)
    h = torch.tanh(bngain * (h - bm) / bs + bnbias)
    lg = h @ W2 + b2
    l = F.cross_entropy(lg, Y)
    for q in ps:
        q.grad = None
    lg.retain_grad()
    l.backward()
    for q in ps:
        q.data += -0.1 * q.grad
    print(
        f"{i:7d}/{5:7d}: {l.item():.4f} {math.log10(abs(l.item())):.3f}",
        lg.grad.abs().max(),
        (h.abs() > 0.99).float().mean(),
        W1.grad.std() / W1.std(),
    )
print(
    emb.shape,
    h.shape,
    C[5],
    C[torch.tensor([5, 6])],
    C[X][0],
    torch.cat(torch.unbind(emb, 1), 1).shape,
    F.softmax(lg, 1)[0],
    lg.max(1, keepdim=True).values[:2],
    torch.allclose(l, -F.log_softmax(lg, 1)[range(len(Y)), Y].mean()),
)
# logistic regression with metrics
x = torch.randn(100, 2)
y = (x[:, 0] + 2 * x[:, 1] > 0).long()
m = nn.Linear(2, 2)
o = optim.Adam(m.parameters(), 0.1)
for e in range(20):
    o.zero_grad()
    lo = F.cross_entropy(m(x), y)
    lo.backward()
    o.step()
pred = m(x).argmax(1)
acc = (pred == y).float().mean()
cm = torch.zeros(2, 2, dtype=torch.int64)
for t_, p_ in zip(y.view(-1), pred.view(-1)):
    cm[t_.long(), p_.long()] += 1
print(
    acc,
    f"{acc * 100:.1f}%",
    cm,
    cm.diag() / cm.sum(1),
    (pred & y).sum(),
    torch.bincount(y),
    y.float().mean(),
    (pred != y).nonzero().flatten()[:5],
    torch.unique(y, return_counts=True),
)
print(
    "Accuracy: {:.2f}% ({}/{})".format(
        100.0 * pred.eq(y).sum().item() / len(y), pred.eq(y).sum(), len(y)
    ),
    pred.eq(y.view_as(pred)).sum().item(),
    torch.topk(F.softmax(m(x[:2]), 1), 1),
)
vals, idx = torch.sort(x[:, 0], descending=True)
print(
    vals[:3],
    idx[:3],
    x[idx][:2],
    torch.median(x),
    torch.cumsum(torch.ones(3), 0),
    torch.std(x, 0),
    torch.norm(x),
    torch.linspace(-1, 1, 5).pow(2),
    torch.randint(0, 5, (2, 3)),
    torch.randn(2).clamp(-1, 1),
    torch.bernoulli(torch.full((5,), 0.5)),
    torch.randperm(5),
    torch.normal(0.0, 1.0, (2,)),
    torch.empty(2).uniform_(0, 1),
    torch.rand(2, 2).T,
    torch.tensor([1.0, 2.0]).pow(2).sum().sqrt(),
)
start = time.time()
print(time.time() - start < 10)
a = torch.arange(9.0).reshape(3, 3)
print(
    a.sum(dim=0),
    a.sum(dim=(0, 1)),
    a.mean(dim=1, keepdim=True),
    a.min(),
    a.max(dim=1)[1],
    a.argmin(),
    a[a % 2 == 0],
    a.prod(),
    a.trace(),
    torch.det(a + torch.eye(3)),
    torch.inverse(a + torch.eye(3)),
    a.fill_(1),
    torch.zeros_like(a).bool().any(),
    (a > 0).all(),
    a.long().dtype,
    a.numpy().tolist(),
    a.view(-1).shape,
    a.t().contiguous().view(9)[:2],
    a.expand(2, 3, 3).shape,
    a.repeat(2, 1).shape,
    a.chunk(3)[0],
    a.split([1, 2])[1].shape,
)
