import copy
import io
import pickle

import numpy as np
import torch

torch.manual_seed(0)
a = np.arange(6, dtype=np.float32).reshape(2, 3)
t = torch.from_numpy(a)
a[0, 0] = 100
print(t, np.shares_memory(t.numpy(), a))
t[1, 1] = -1
print(a)
print(torch.tensor(a) is a, torch.as_tensor(a)[0, 0], t.numpy().sum(), np.sum(t.numpy()))
x = torch.rand(3, requires_grad=True)
print(x.detach().cpu().numpy().shape, x.data.numpy().dtype, x.tolist(), float(x.sum().detach()))
print(a + t if False else "", t + torch.from_numpy(a), t * a if False else "")
print(
    t.numpy().T.flags["C_CONTIGUOUS"],
    torch.from_numpy(a.T.copy()),
    torch.from_numpy(a[::2]),
    torch.from_numpy(np.float64(3) * np.ones(2)),
)
print(
    torch.tensor(np.float64(1.5)).dtype,
    torch.tensor(np.float32(1.5)).dtype,
    torch.tensor([np.float64(1.5)]).dtype,
    torch.tensor(np.array([1, 2])).dtype,
    torch.tensor(np.array([True])).dtype,
    torch.tensor([[1, 2.0], [3, 4]]).dtype,
    torch.tensor([1, True]).dtype,
    torch.tensor([]).dtype,
    torch.tensor(1).dtype,
    torch.tensor(()).shape,
    torch.tensor(np.int32(4)).dtype,
    torch.Tensor([1, 2]).dtype,
    torch.Tensor(2, 3).shape,
    torch.FloatTensor([1]).dtype,
    torch.LongTensor([1.7]),
)
print(
    torch.arange(3).numpy().dtype,
    torch.tensor(3).numpy(),
    torch.tensor(2.5).item(),
    type(torch.tensor(True).item()),
    torch.tensor([1, 2]).tolist(),
    list(torch.tensor([1, 2])),
    [int(i) for i in torch.tensor([1, 2])],
    max(torch.tensor([3, 9, 2])),
    sum(torch.tensor([1.0, 2.0])),
    sorted(torch.tensor([3, 1, 2])),
    min(torch.tensor([1.0]), torch.tensor([2.0])),
    abs(torch.tensor(-1)),
    round(torch.tensor(2.567).item(), 2),
    divmod(7, 2),
    len(torch.ones(4, 2)),
)
print(
    {torch.tensor(1): "a"} != None,
    torch.tensor(1) == 1,
    (torch.tensor(1) == 1).item(),
    torch.tensor([1, 2]) == torch.tensor([1, 3]),
    torch.equal(torch.ones(2), torch.ones(2)),
    3 in torch.tensor([1, 3]),
    bool(torch.tensor(0.0)),
    torch.tensor([0.0]) or "falsy",
    not torch.tensor(1),
)
c = copy.deepcopy(x)
print(c.requires_grad, c is x, torch.equal(c, x))
d = copy.copy(x)
print(d is x)
m = torch.nn.Linear(2, 1)
m2 = copy.deepcopy(m)
m2.weight.data.fill_(0)
print(m.weight.sum() != 0, m2.weight)
b = io.BytesIO()
torch.save([t, {"a": x.detach()}, (1, "s", None, 2.5, True)], b)
b.seek(0)
print(torch.load(b))
p = pickle.loads(pickle.dumps({"t": t, "m": m.state_dict()}))
print(p["t"], list(p["m"]))
mm = pickle.loads(pickle.dumps(m))
print(mm, torch.equal(mm.weight, m.weight))
print(
    torch.__version__ is not None,
    isinstance(t, torch.Tensor),
    isinstance(m.weight, torch.Tensor),
    isinstance(m.weight, torch.nn.Parameter),
    type(t),
    type(t.shape),
    type(t.dtype),
    t.type(),
    torch.is_tensor(a),
)
x = torch.zeros(2, 3)
x[0] = torch.tensor([1.0, 2, 3])
x[1, :2] = 7
x[x > 5] = -1
x[:, -1] += 10
x[..., 0] *= 2
print(x)
x[[0, 1], [0, 1]] = torch.tensor([50.0, 60.0])
print(x)
x[torch.tensor([True, False])] = 0
print(x)
x[1] = x[1].flip(0)
print(
    x, x[:, [2, 0]], x[:, None, :].shape, x[None, ..., None].shape, x[0, 1].shape, x[-1:], x[:, ::2]
)
i = torch.tensor([[0, 1], [1, 0]])
print(
    x[i].shape,
    x[0][i],
    x[i, 0],
    x[:, i].shape,
    torch.take(x, i),
    x.gather(1, i),
    torch.zeros(2, 3).scatter_(1, i, 1.0),
    torch.zeros(2, 3).scatter(1, i, x),
    x.index_select(1, torch.tensor([0])),
    torch.masked_select(x, x > 0),
    x.nonzero(),
    torch.nonzero(x, as_tuple=True),
    torch.where(x > 0),
    x.argsort(1),
    x.sort(1, descending=True)[0],
    torch.argwhere(x) if hasattr(torch, "argwhere") and 0 else "",
)
print(
    torch.ones(2, 3).expand(4, 2, 3).shape,
    torch.arange(6).view(2, 3).repeat(1, 2),
    torch.arange(3).repeat_interleave(2),
    torch.meshgrid(torch.arange(2), torch.arange(3), indexing="ij")[0],
    torch.cartesian_prod(torch.arange(2), torch.arange(2)) if 0 else "",
    torch.tril(torch.ones(3, 3)),
    torch.triu(torch.ones(3, 3), 1),
    torch.diag(torch.arange(3)),
    torch.eye(2, 3),
    torch.outer(torch.arange(2), torch.arange(3)),
    torch.kron if 0 else "",
)
print(torch.arange(24).view(2, 3, 4))
print(
    torch.zeros(0, 3),
    torch.ones(1, 1, 1),
    torch.randn(2, 1200).shape,
    torch.arange(2000),
    torch.ones(30, 40),
)
print(
    torch.tensor([[1e-8, 1.0], [1e8, 0.0]]),
    torch.tensor([1000000.0]),
    torch.tensor([99999999.0]),
    torch.tensor([0.00012]),
    torch.tensor([float("nan"), 1.0]),
    torch.tensor([True]),
    torch.tensor([-0.0]),
    torch.tensor([1, -200]),
    torch.tensor([1.5], dtype=torch.half),
    torch.tensor([3], dtype=torch.int8),
    torch.tensor([[1.123456789, -2]]),
    torch.tensor(1e-10),
    torch.tensor([1e20, 1e-20]),
)
torch.set_printoptions(precision=2, linewidth=40)
print(torch.rand(3, 12))
torch.set_printoptions(profile="full")
print(torch.arange(1001).sum(), torch.arange(1100).view(-1)[:3])
torch.set_printoptions(threshold=5, edgeitems=1)
print(torch.arange(20.0).view(4, 5))
torch.set_printoptions(sci_mode=True)
print(torch.tensor([1.0, 22.0]))
torch.set_printoptions(profile="default")
torch.set_printoptions(sci_mode=False)
print(torch.tensor([1e-6, 1e6]))
torch.set_printoptions(profile="short")
print(torch.tensor([1 / 3]))
torch.set_printoptions(profile="default")
print(
    str(torch.ones(2)) == repr(torch.ones(2)),
    "%s" % torch.ones(1),
    "{:.3f}".format(torch.tensor(2.0)),
    f"{torch.tensor(5):03d}",
    f"{torch.tensor(0.256):.1%}",
    "%d" % torch.tensor(5),
    "%.2f" % torch.tensor(2.345),
    "{}".format(torch.tensor([1, 2])),
    f"{torch.tensor(1.5):>8}|",
)
