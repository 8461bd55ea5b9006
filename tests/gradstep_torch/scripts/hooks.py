import torch
from torch import nn

torch.manual_seed(0)
acts = {}


def hook(name):
    def f(m, i, o):
        acts[name] = o.detach()

    return f


m = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Flatten(), nn.Linear(32, 4))
hs = [l.register_forward_hook(hook(n)) for n, l in m.named_modules() if n]
m(torch.randn(2, 1, 6, 6))
print({k: tuple(v.shape) for k, v in acts.items()})
[h.remove() for h in hs]


def bh(mod, gi, go):
    print(
        type(mod).__name__,
        [None if g is None else tuple(g.shape) for g in gi],
        [tuple(g.shape) for g in go],
    )


h = m[3].register_full_backward_hook(bh)
h2 = m[0].register_full_backward_hook(bh)
m(torch.randn(2, 1, 6, 6, requires_grad=True)).sum().backward()
h.remove()
h2.remove()
h = m.register_forward_pre_hook(lambda mod, inp: (inp[0] * 2,))
a = m(torch.ones(1, 1, 6, 6))
h.remove()
b = m(2 * torch.ones(1, 1, 6, 6))
print(torch.allclose(a, b))
h = m.register_forward_hook(lambda mod, inp, out: out + 1)
print((m(torch.ones(1, 1, 6, 6)) - m[3](m[2](m[1](m[0](torch.ones(1, 1, 6, 6)))))).detach())
h.remove()
x = torch.ones(3, requires_grad=True)
h = x.register_hook(lambda g: print("grad", g) or g * 2)
(x * 3).sum().backward()
print(x.grad)
h.remove()
p = nn.Parameter(torch.ones(2))
p.register_post_accumulate_grad_hook(lambda p: print("post", p.grad))
(p * 2).sum().backward()
y = x * 2
y.register_hook(lambda g: print("y", g))
y.retain_grad()
y.sum().backward()
print(y.grad)
print(m[0].weight.grad.shape, m[0].weight.is_leaf, y.is_leaf, y.requires_grad, x.grad_fn)


def t(f):
    try:
        r = f()
        print("ok", r)
    except Exception as e:
        print(
            type(e).__name__
            if type(e).__module__ == "builtins"
            else [b.__name__ for b in type(e).__mro__ if b.__module__ == "builtins"][0],
            "|",
            str(e)[:22],
        )


w = torch.ones(2, requires_grad=True)
t(lambda: w.add_(1))
t(lambda: w.data.add_(1))
t(lambda: w.numpy())
t(lambda: w.detach().numpy())


def f():
    a = torch.ones(2, requires_grad=True)
    b = a * 2
    c = b**2
    b += 1
    c.sum().backward()


t(f)


def f():
    a = torch.ones(2, requires_grad=True)
    b = a.exp()
    b[0] = 1
    b.sum().backward()


t(f)


def f():
    l = (w**2).sum()
    l.backward()
    l.backward()


t(f)
t(lambda: (w * 2).backward())
t(lambda: torch.ones(1).backward())
t(lambda: setattr(w * 2, "requires_grad", False))
t(lambda: torch.tensor([1], requires_grad=True))
t(lambda: torch.tensor([1.0]).retain_grad())


def f():
    lin = nn.Linear(2, 2)
    opt = torch.optim.SGD(lin.parameters(), lr=1.0)
    out = lin(torch.ones(1, 2))
    l = lin(out).sum()
    opt.zero_grad()
    lin(torch.ones(1, 2)).sum().backward()
    opt.step()
    l.backward()


t(f)
with torch.no_grad():
    t(lambda: (w * 2).sum().backward())
with torch.inference_mode():
    z = torch.ones(2)
t(lambda: z.requires_grad_())
t(lambda: (w * z).sum().backward())
w.grad = None
(w * 2).sum().backward()
w.grad.data.zero_()
print(w.grad)
del w.grad
print(w.grad)
print(torch.is_grad_enabled())
torch.set_grad_enabled(False)
print((w * 2).requires_grad)
torch.set_grad_enabled(True)


@torch.no_grad()
def g():
    return (w * 2).requires_grad


@torch.enable_grad()
def k():
    return (w * 2).requires_grad


print(g(), k(), torch.no_grad()(k)())
print(
    torch.autograd.gradcheck(
        lambda a: (a**3).sum(), torch.randn(3, dtype=torch.double, requires_grad=True)
    )
)
