import torch
from torch import nn
from torch.func import functional_call, grad, grad_and_value

torch.manual_seed(0)
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
print(grad(lambda v: (v**3).sum())(x))
y = torch.tensor(2.0)
print(
    grad(grad(torch.sin))(y), grad_and_value(lambda v, w: (v * w).sum(), argnums=(0, 1))(y, y * 3)
)
m = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3), nn.Linear(3, 1))
p, b = dict(m.named_parameters()), dict(m.named_buffers())
data, target = torch.randn(4, 2), torch.randn(4, 1)


def loss(params, data, target):
    out = functional_call(m, (params, {k: v.clone() for k, v in b.items()}), (data,))
    return nn.functional.mse_loss(out, target), out


g, out = grad(loss, has_aux=True)({k: v.detach() for k, v in p.items()}, data, target)
print({k: v.shape for k, v in g.items()}, out.shape, g["0.weight"])
print(m[1].running_mean, m[0].weight.grad)
(gg, (v, aux)) = grad_and_value(loss, has_aux=True)(
    {k: v.detach() for k, v in p.items()}, data, target
)
print(v)


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(2, 2, bias=False)
        self.b = nn.Linear(2, 2, bias=False)
        self.b.weight = self.a.weight

    def forward(self, x):
        return self.b(self.a(x))


t = Tied()
print(functional_call(t, {"a.weight": torch.eye(2)}, torch.ones(1, 2)))
try:
    functional_call(t, {"c.weight": torch.eye(2)}, torch.ones(1, 2), strict=True)
except RuntimeError as e:
    print("Unexpected" in str(e) or "unexpected" in str(e))
try:
    grad(lambda v: v * 2)(torch.ones(2))
except RuntimeError as e:
    print("scalar" in str(e))
