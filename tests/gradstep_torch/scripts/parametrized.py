import torch
import torch.nn as nn
import torch.nn.utils.parametrize as parametrize

torch.manual_seed(0)


class Symmetric(nn.Module):
    def forward(self, X):
        return X.triu() + X.triu(1).transpose(-1, -2)

    def right_inverse(self, A):
        return A.triu()


class MatrixExponential(nn.Module):
    def forward(self, X):
        return X * 2

    def right_inverse(self, A):
        return A / 2


layer = nn.Linear(3, 3)
print(parametrize.register_parametrization(layer, "weight", Symmetric()))
parametrize.register_parametrization(layer, "weight", MatrixExponential())
print(layer)
print(sorted(layer.state_dict()), [n for n, _ in layer.named_parameters()])
print(
    parametrize.is_parametrized(layer),
    parametrize.is_parametrized(layer, "bias"),
    type(layer).__name__,
)
layer.weight = torch.tensor([[1.0, 2, 3], [2, 4, 5], [3, 5, 6]])
print(layer.weight, layer.parametrizations.weight.original)
with parametrize.cached():
    print(layer.weight is layer.weight)
print(layer.weight is layer.weight)
opt = torch.optim.SGD(layer.parameters(), lr=0.1)
layer(torch.ones(1, 3)).sum().backward()
opt.step()
print(torch.equal(layer.weight, layer.weight.T))
parametrize.remove_parametrizations(layer, "weight", leave_parametrized=True)
print(layer, layer.weight, sorted(layer.state_dict()))
wn = torch.nn.utils.parametrizations.weight_norm(nn.Linear(3, 2))
print(wn, wn.parametrizations.weight.original0.shape)
x = torch.randn(4, 3)
wn(x).sum().backward()
print(
    wn.parametrizations.weight.original0.grad,
    wn.parametrizations.weight.original1.grad,
    wn.weight.grad_fn is not None,
)
cn = torch.nn.utils.parametrizations.weight_norm(nn.Conv1d(2, 3, 2), dim=0)
print(cn.parametrizations.weight.original0.shape, sorted(cn.state_dict()))
sn = torch.nn.utils.parametrizations.spectral_norm(nn.Linear(3, 2), n_power_iterations=2)
print(sorted(sn.state_dict()), sn.weight)
sn(x).sum().backward()
print(sn.parametrizations.weight.original.grad)
sn.eval()
print(torch.equal(sn.weight, sn.weight), sn.parametrizations.weight[0]._u)
import warnings

warnings.simplefilter("ignore")
old = nn.utils.weight_norm(nn.Linear(3, 2))
print(sorted(dict(old.named_parameters())), old.weight_g.shape, old)
old(x).sum().backward()
print(old.weight_g.grad, old.weight_v.grad)
nn.utils.remove_weight_norm(old)
print(sorted(dict(old.named_parameters())), type(old.weight).__name__)
osn = nn.utils.spectral_norm(nn.Linear(3, 2))
for _ in range(3):
    out = osn(x)
print(out, sorted(osn.state_dict()), [n for n, _ in osn.named_parameters()])
out.sum().backward()
print(osn.weight_orig.grad)
c = nn.utils.spectral_norm(nn.Conv2d(2, 3, 3))
print(c(torch.randn(1, 2, 4, 4)).shape, c.weight_u.shape, c.weight_v.shape)
nn.utils.remove_spectral_norm(osn)
print(sorted(osn.state_dict()))


class Bad(nn.Module):
    def forward(self, X):
        return X[:1]


try:
    parametrize.register_parametrization(nn.Linear(3, 3), "weight", Bad())
except ValueError as e:
    print(str(e)[:60])
try:
    parametrize.register_parametrization(nn.Linear(3, 3), "foo", Bad())
except ValueError as e:
    print(str(e)[:60])
try:
    nn.utils.remove_weight_norm(nn.Linear(1, 1))
except ValueError as e:
    print(str(e)[:60])
