import torch, torch.nn as nn

torch.manual_seed(0)
trunk = nn.Sequential(nn.Linear(4, 16), nn.ReLU())
h1, h2 = nn.Linear(16, 1), nn.Linear(16, 1)
params = [*trunk.parameters(), *h1.parameters(), *h2.parameters()]
opt = torch.optim.Adam(params, lr=1e-3)
X, A, B = torch.randn(64, 4), torch.randn(64, 1), torch.randn(64, 1)


def flat_grads(loss, retain):
    opt.zero_grad()
    loss.backward(retain_graph=retain)
    return [None if p.grad is None else p.grad.clone() for p in params]


for it in range(8):
    z = trunk(X)
    g1 = flat_grads((h1(z) - A).pow(2).mean(), True)
    g2 = flat_grads((h2(z) - B).pow(2).mean(), False)
    opt.zero_grad()
    for p, a, b in zip(params, g1, g2):
        a = torch.zeros_like(p) if a is None else a
        b = torch.zeros_like(p) if b is None else b
        dot = (a * b).sum()
        if dot < 0:
            a = a - dot / b.norm() ** 2 * b
        p.grad = a + b
    opt.step()
    print(it)
