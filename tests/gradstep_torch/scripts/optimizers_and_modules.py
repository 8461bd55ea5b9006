import copy

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
# optimizers all, several steps, f-string prints of tensors
X, Y = torch.randn(16, 3), torch.randn(16, 2)
for name in [
    "SGD",
    "Adam",
    "AdamW",
    "Adamax",
    "NAdam",
    "RAdam",
    "Adagrad",
    "Adadelta",
    "RMSprop",
    "Rprop",
    "ASGD",
    "Adafactor",
]:
    torch.manual_seed(1)
    m = nn.Linear(3, 2)
    o = getattr(torch.optim, name)(m.parameters())
    ls = []
    for i in range(5):
        o.zero_grad()
        l = F.mse_loss(m(X), Y)
        l.backward()
        o.step()
        ls.append(f"{l:.4f}")
    print(name, ls, sorted(o.state[m.weight]), o.state_dict()["param_groups"][0]["params"])
    print(o)
# state dict reload continues same
torch.manual_seed(1)
m = nn.Linear(3, 2)
o = torch.optim.Adam(m.parameters(), lr=0.1)
for i in range(3):
    o.zero_grad()
    F.mse_loss(m(X), Y).backward()
    o.step()
sd = {k: v.clone() for k, v in m.state_dict().items()}
od = copy.deepcopy(o.state_dict())
m2 = nn.Linear(3, 2)
m2.load_state_dict(sd)
o2 = torch.optim.Adam(m2.parameters())
o2.load_state_dict(od)
print(
    o2.param_groups[0]["lr"],
    o2.state_dict()["state"][0]["step"],
    type(od),
    od.keys(),
    od["state"][0].keys(),
)
for g in o.param_groups:
    g["lr"] *= 0.5
print(o.param_groups[0]["lr"], len(o.param_groups), o.param_groups[0].keys(), o.defaults)
p = nn.Parameter(torch.tensor([1.0, 2.0]))
s = torch.optim.SGD([p], lr=0.1, momentum=0.9, weight_decay=0.01)
for i in range(3):
    s.zero_grad(set_to_none=False)
    (p**2).sum().backward()
    s.step()
    print(p, p.grad, s.state[p]["momentum_buffer"])
s.zero_grad()
print(p.grad, s.step())
print(s.step(lambda: (p**2).sum()))
print({k: (v if not torch.is_tensor(v) else v.shape) for k, v in s.state[p].items()})
print(nn.utils.parameters_to_vector(m.parameters()), sum(p.numel() for p in m.parameters()))
for n, p in m.named_parameters():
    print(n, p.shape, p.requires_grad, p.data.mean(), p.grad.norm().item().__class__)
print(
    [tuple(p.shape) for p in m.parameters()],
    list(m.buffers()),
    m.training,
    m._get_name(),
    m.weight.grad.data,
)


class Net(nn.Module):
    def __init__(self, sizes, act=nn.ReLU):
        super().__init__()
        layers = []
        for i, o in zip(sizes[:-1], sizes[1:]):
            layers += [nn.Linear(i, o), act()]
        self.layers = nn.ModuleList(layers[:-1])
        self.scale = nn.Parameter(torch.ones(1))
        self.register_buffer("mean", torch.zeros(3))
        self.d = nn.ModuleDict({"a": nn.Identity(), "b": nn.Dropout(0.2)})
        self.p = nn.ParameterList([nn.Parameter(torch.zeros(2))])
        self.pd = nn.ParameterDict({"x": nn.Parameter(torch.zeros(1))})

    def forward(self, x):
        x = x - self.mean
        for l in self.layers:
            x = l(x)
        return x * self.scale

    @property
    def device(self):
        return next(self.parameters()).device


n = Net([3, 4, 2])
print(n, n.device, n(X).shape)
print(list(n.state_dict()))
print([k for k, _ in n.named_modules()])
print(
    len(n.layers),
    n.layers[0],
    n.layers[-1],
    n.layers[:2],
    n.d["a"],
    list(n.d.keys()),
    n.p[0],
    n.pd["x"],
)
n.layers.append(nn.Tanh())
n.layers.insert(0, nn.Identity())
print(n.layers)
del n.layers[0]
print(len(n.layers))
seq = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
seq.add_module("out", nn.Linear(2, 1))
seq.append(nn.Sigmoid())
print(seq, seq.out, seq[-1], seq[:2], len(seq))
print([type(l).__name__ for l in seq])
seq[1] = nn.Tanh()
del seq[3]
print(seq)
n.eval()
print(
    n.d["b"].training,
    n.requires_grad_(False).scale.requires_grad,
    n.double().scale.dtype,
    n.float().mean.dtype,
    n.half().scale.dtype,
)
print(
    n.zero_grad(),
    n.apply(lambda m: None) is n,
    hasattr(n, "foo"),
    isinstance(n, nn.Module),
    n.get_submodule("layers.0"),
    n.get_parameter("scale"),
)
try:
    n.foo
except AttributeError as e:
    print(str(e)[:50])
try:
    nn.Linear(3, 2)(torch.ones(4, 5))
except RuntimeError as e:
    print(str(e)[:50])
try:
    torch.ones(2, 3) + torch.ones(4)
except RuntimeError as e:
    print(str(e)[:50])
for l in [
    nn.Conv1d(1, 2, 3),
    nn.Conv2d(1, 2, 3, stride=2, padding=1, bias=False),
    nn.Conv2d(2, 4, (3, 5), groups=2, dilation=2, padding="same"),
    nn.ConvTranspose2d(1, 2, 3, stride=2, output_padding=1),
    nn.MaxPool2d(2),
    nn.MaxPool2d(3, 2, 1),
    nn.AvgPool2d(2),
    nn.AdaptiveAvgPool2d((1, 1)),
    nn.BatchNorm1d(3),
    nn.BatchNorm2d(3, momentum=None),
    nn.LayerNorm([2, 3]),
    nn.GroupNorm(2, 4),
    nn.Embedding(5, 3, padding_idx=0),
    nn.LSTM(2, 3, 2, batch_first=True, dropout=0.1),
    nn.GRU(2, 3, bidirectional=True),
    nn.RNN(2, 3, nonlinearity="relu"),
    nn.LSTMCell(2, 3),
    nn.Dropout(0.3),
    nn.Dropout2d(),
    nn.ReLU(True),
    nn.LeakyReLU(0.2),
    nn.ELU(),
    nn.GELU(),
    nn.SELU(),
    nn.Softmax(1),
    nn.LogSoftmax(dim=-1),
    nn.Sigmoid(),
    nn.Tanh(),
    nn.Softplus(),
    nn.PReLU(),
    nn.SiLU(),
    nn.Mish(),
    nn.Hardswish(),
    nn.Hardtanh(),
    nn.ReLU6(),
    nn.Threshold(0.1, 2),
    nn.Flatten(),
    nn.Unflatten(1, (2, 3)),
    nn.Identity(),
    nn.CrossEntropyLoss(),
    nn.MSELoss(),
    nn.BCEWithLogitsLoss(),
    nn.NLLLoss(),
    nn.L1Loss(),
    nn.SmoothL1Loss(),
    nn.HuberLoss(),
    nn.KLDivLoss(),
    nn.TripletMarginLoss(),
    nn.CosineSimilarity(),
    nn.PairwiseDistance(),
    nn.GLU(),
    nn.CELU(),
    nn.Softsign(),
    nn.LogSigmoid(),
    nn.Hardsigmoid(),
    nn.Softmin(1),
    nn.Tanhshrink(),
]:
    print(l)
