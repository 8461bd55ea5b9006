from collections import OrderedDict

import torch
import torch.nn.functional as F
from torch import nn
from torch.autograd import grad

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(
            OrderedDict(
                [
                    ("l1", nn.Linear(1, 20)),
                    ("relu1", nn.ReLU()),
                    ("l2", nn.Linear(20, 20)),
                    ("relu2", nn.ReLU()),
                    ("l3", nn.Linear(20, 1)),
                ]
            )
        )

    def forward(self, x):
        return self.net(x)

    def argforward(self, x, w):
        x = F.linear(x, w[0], w[1])
        x = F.relu(x)
        x = F.linear(x, w[2], w[3])
        x = F.relu(x)
        return F.linear(x, w[4], w[5])


model = Net()
print(model)
opt = torch.optim.Adam(model.parameters(), 1e-3)
inner_lr = 0.01
for it in range(5):
    meta = 0
    for task in range(3):
        A, ph = torch.rand(1) * 4 + 0.1, torch.rand(1) * 3.14
        x = torch.rand(10, 1) * 10 - 5
        y = A * torch.sin(x + ph)
        w = list(model.parameters())
        for _ in range(2):
            l = F.mse_loss(model.argforward(x, w), y)
            g = torch.autograd.grad(l, w, create_graph=True)
            w = [a - inner_lr * b for a, b in zip(w, g)]
        meta = meta + F.mse_loss(model.argforward(x, w), y)
    opt.zero_grad()
    meta.backward()
    opt.step()
    print(it, meta.item().__round__(4), meta, model.net.l1.weight.grad.norm())
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = (x**4).sum()
(g1,) = grad(y, x, create_graph=True)
(g2,) = grad(g1.sum(), x, create_graph=True)
(g3,) = grad(g2.sum(), x)
print(g1, g2, g3)
f = lambda x: torch.stack([x[0] * x[1], x[1] ** 2 * x[2]])
J = torch.zeros(2, 3)
yy = f(x)
for i in range(2):
    J[i] = grad(yy[i], x, retain_graph=True)[0]
print(
    J,
    torch.autograd.functional.jacobian(f, x),
    torch.autograd.functional.hessian(lambda x: (x**3).sum() * x[0], x),
)
print(
    torch.autograd.functional.vjp(f, x, torch.ones(2))[1],
    torch.autograd.functional.jvp(f, x, torch.ones(3))[1],
    torch.autograd.functional.hvp(lambda x: (x**3).sum(), x, torch.ones(3))[1],
)
v = grad(yy, x, grad_outputs=torch.eye(2), is_grads_batched=True, retain_graph=True)[0]
print(v)
try:
    grad(x.sum(), torch.ones(3, requires_grad=True))
except RuntimeError as e:
    print(str(e)[:60])
un = torch.ones(3, requires_grad=True)
print(
    grad(x.sum(), un, allow_unused=True),
    grad(x.sum(), [un], materialize_grads=True),
    grad((x * x).sum(), [x, un], allow_unused=True),
)
# PINN u'' = -u
net = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
opt = torch.optim.LBFGS(net.parameters(), lr=0.5, max_iter=5)
t = torch.linspace(0, 3, 20).view(-1, 1).requires_grad_(True)


def closure():
    opt.zero_grad()
    u = net(t)
    (du,) = grad(u, t, torch.ones_like(u), create_graph=True)
    (d2u,) = grad(du, t, torch.ones_like(du), create_graph=True)
    loss = (
        ((d2u + u) ** 2).mean()
        + (net(torch.zeros(1, 1)) - 0).pow(2).sum()
        + (du[0] - 1).pow(2).sum()
    )
    loss.backward()
    return loss


for i in range(3):
    print("%.4f" % opt.step(closure).item())
print(opt)
# gradient penalty/double backward through conv, bn, maxpool
c = nn.Sequential(nn.Conv2d(1, 2, 3), nn.Softplus(), nn.AvgPool2d(2), nn.Flatten(), nn.Linear(8, 1))
xi = torch.randn(3, 1, 6, 6, requires_grad=True)
(gx,) = grad(c(xi).sum(), xi, create_graph=True)
(gx**2).sum().backward()
print(c[0].weight.grad.flatten()[:4], c[0].bias.grad)
