import warnings

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils import parameters_to_vector, vector_to_parameters

warnings.simplefilter("ignore")
torch.manual_seed(2)


class WeightNormLinear(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        w = torch.randn(o, i) * 0.5
        self.v = nn.Parameter(w)
        self.g = nn.Parameter(w.norm(dim=1, keepdim=True))
        self.bias = nn.Parameter(torch.zeros(o))

    @property
    def weight(self):
        return self.g * self.v / self.v.norm(dim=1, keepdim=True)

    def forward(self, x):
        return F.linear(x, self.weight, self.bias)

    def extra_repr(self):
        return f"in={self.v.size(1)}, out={self.v.size(0)}"


class Tied(nn.Module):
    def __init__(self, n, h):
        super().__init__()
        self.encoder = nn.Linear(n, h)
        self.decoder_bias = nn.Parameter(torch.zeros(n))
        self.shared = nn.ModuleList([self.encoder, self.encoder])

    def forward(self, x):
        z = torch.tanh(self.encoder(x))
        return F.linear(z, self.encoder.weight.t(), self.decoder_bias)


layer = WeightNormLinear(3, 2)
print(layer)
x = torch.randn(5, 3)
layer(x).pow(2).mean().backward()
print(layer.g.grad.flatten(), (layer.v.grad * layer.v).sum(1).abs().max() < 1e-5)
wn = torch.nn.utils.parametrizations.weight_norm(nn.Linear(3, 2), name="weight")
print(sorted(n for n, _ in wn.named_parameters()))
wn(x).sum().backward()
print(wn.parametrizations.weight.original0.grad.shape)
old = nn.utils.weight_norm(nn.Linear(3, 2))
print(sorted(dict(old.named_parameters())), old.weight_g.shape)
sn = nn.utils.spectral_norm(nn.Linear(3, 2))
for _ in range(20):
    out = sn(x)
print(torch.linalg.matrix_norm(sn.weight, 2).item() - 1 < 1e-3, sorted(dict(sn.named_buffers())))
tied = Tied(6, 3)
print(
    len(list(tied.parameters())), [n for n, _ in tied.named_parameters()], list(tied.state_dict())
)
opt = torch.optim.SGD(tied.parameters(), lr=0.5, momentum=0.9)
data = torch.randn(20, 6)
for i in range(4):
    opt.zero_grad()
    loss = F.mse_loss(tied(data), data)
    loss.backward()
    opt.step()
    print(i, f"{loss.item():.5f}")
print(
    tied.shared[0].weight is tied.encoder.weight,
    tied.shared[1].weight.grad is tied.encoder.weight.grad,
)
vec = parameters_to_vector(tied.parameters())
print(vec.shape, vec.requires_grad)
vector_to_parameters(vec.detach() * 0, tied.parameters())
print(sum(p.abs().sum() for p in tied.parameters()))


class Symmetric(nn.Module):
    def forward(self, X):
        return X.triu() + X.triu(1).transpose(-1, -2)


import torch.nn.utils.parametrize as parametrize

sym = nn.Linear(3, 3)
parametrize.register_parametrization(sym, "weight", Symmetric())
print(torch.equal(sym.weight, sym.weight.T), parametrize.is_parametrized(sym))
sym(x).sum().backward()
print(sym.parametrizations.weight.original.grad)
parametrize.remove_parametrizations(sym, "weight")
print(type(sym.weight).__name__, sym)
pos = nn.Parameter(torch.tensor([0.5, 1.0]))
(F.softplus(pos).log().sum()).backward()
print(pos.grad)
