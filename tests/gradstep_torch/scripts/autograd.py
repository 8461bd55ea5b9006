import torch

torch.manual_seed(0)
x = torch.ones(2, 2, requires_grad=True)
print(x)
y = x + 2
print(y)
print(y.grad_fn is None, type(y.grad_fn).__name__)
z = y * y * 3
out = z.mean()
print(z, out)
a = torch.randn(2, 2)
a = (a * 3) / (a - 1)
print(a.requires_grad)
a.requires_grad_(True)
print(a.requires_grad)
b = (a * a).sum()
print(str(b.grad_fn).split(" ")[0])
out.backward()
print(x.grad)
x = torch.randn(3, requires_grad=True)
y = x * 2
while y.data.norm() < 1000:
    y = y * 2
print(y)
v = torch.tensor([0.1, 1.0, 0.0001], dtype=torch.float)
y.backward(v)
print(x.grad)
print(x.requires_grad, (x**2).requires_grad)
with torch.no_grad():
    print((x**2).requires_grad)
y = x.detach()
print(y.requires_grad, x.eq(y).all())
a = torch.tensor([2.0, 3.0], requires_grad=True)
b = torch.tensor([6.0, 4.0], requires_grad=True)
Q = 3 * a**3 - b**2
print(Q)
external_grad = torch.tensor([1.0, 1.0])
Q.backward(gradient=external_grad)
print(9 * a**2 == a.grad)
print(-2 * b == b.grad)
x = torch.rand(5, 5)
y = torch.rand(5, 5)
z = torch.rand((5, 5), requires_grad=True)
a = x + y
print(f"Does `a` require gradients?: {a.requires_grad}")
b = x + z
print(f"Does `b` require gradients?: {b.requires_grad}")
x = torch.ones(5)
y = torch.zeros(3)
w = torch.randn(5, 3, requires_grad=True)
b = torch.randn(3, requires_grad=True)
z = torch.matmul(x, w) + b
loss = torch.nn.functional.binary_cross_entropy_with_logits(z, y)
print(f"Gradient function for z = {z.grad_fn.name()}")
print(f"Gradient function for loss = {loss.grad_fn.name()}", loss)
loss.backward()
print(w.grad)
print(b.grad)
inp = torch.eye(4, 5, requires_grad=True)
out = (inp + 1).pow(2).t()
out.backward(torch.ones_like(out), retain_graph=True)
print(f"First call\n{inp.grad}")
out.backward(torch.ones_like(out), retain_graph=True)
print(f"\nSecond call\n{inp.grad}")
inp.grad.zero_()
out.backward(torch.ones_like(out), retain_graph=True)
print(f"\nCall after zeroing gradients\n{inp.grad}")
fn = loss.grad_fn
m = torch.nn.Sequential(
    torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 2), torch.nn.LogSoftmax(dim=1)
)
l = torch.nn.NLLLoss()(m(torch.randn(6, 3)), torch.tensor([0, 1, 0, 1, 1, 0]))
print(l)
print(fn.next_functions[0][1])
u = torch.tensor([1.0, 2.0], requires_grad=True)
for op in [
    "exp",
    "log",
    "sin",
    "sqrt",
    "tanh",
    "sigmoid",
    "relu",
    "abs",
    "neg",
    "cumsum",
    "softmax",
    "std",
    "var",
    "prod",
    "max",
    "min",
    "median",
    "mean",
    "argmax",
    "sort",
    "clone",
    "square",
    "pow",
    "reciprocal",
    "rsqrt",
    "erf",
    "floor",
    "sign",
    "log1p",
    "expm1",
    "logsumexp",
    "unsqueeze",
    "expand",
    "view",
    "reshape",
    "flatten",
    "narrow",
    "select",
    "index_select",
    "masked_fill",
    "clamp",
    "tril",
    "cumprod",
    "unbind",
    "split",
    "chunk",
    "double",
    "half",
    "detach",
    "contiguous",
    "dot",
    "outer",
    "matmul",
    "mm",
    "where",
    "gather",
    "topk",
]:
    args = {
        "cumsum": (0,),
        "softmax": (0,),
        "flip": (0,),
        "sort": (),
        "pow": (3,),
        "logsumexp": (0,),
        "unsqueeze": (0,),
        "repeat": (2,),
        "expand": (3, 2),
        "view": (2, 1),
        "reshape": (2, 1),
        "narrow": (0, 0, 1),
        "select": (0, 1),
        "index_select": (0, torch.tensor([0])),
        "masked_fill": (torch.tensor([True, False]), 0.0),
        "clamp": (0, 1),
        "roll": (1,),
        "cumprod": (0,),
        "split": (1,),
        "chunk": (2,),
        "dot": (u,),
        "outer": (u,),
        "matmul": (u,),
        "gather": (0, torch.tensor([0])),
        "lerp": (u * 2, 0.5),
        "topk": (1,),
        "addcmul": (u, u),
        "std": (),
        "where": None,
        "mm": None,
        "tril": None,
        "norm": (),
    }.get(op, ())
    if args is None:
        continue
    print(op, getattr(u, op)(*args))
print(
    u[0],
    u[None],
    u[:1],
    u[[0]],
    u[torch.tensor([True, False])],
    u.T if False else "",
    u @ u,
    u * 2,
    2 * u,
    u / 2,
    u - 1,
    1 - u,
    u**2,
    2**u,
    -u,
    u + u,
    u.view(2, 1) @ u.view(1, 2),
    torch.cat([u, u]),
    torch.stack([u, u]),
    torch.where(u > 1, u, 0.0),
    torch.maximum(u, u),
    u.sum(0, keepdim=True),
    u.max(0),
    u.float(),
    u.to(torch.double),
    torch.nn.functional.linear(
        torch.ones(1, 2), torch.ones(3, 2, requires_grad=True), torch.ones(3)
    ),
    sep="\n",
)
