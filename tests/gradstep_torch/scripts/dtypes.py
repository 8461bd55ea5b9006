import warnings

import numpy as np
import torch
import torch.nn as nn

warnings.simplefilter("ignore")
torch.manual_seed(0)
x = np.linspace(0, 1, 8).reshape(-1, 1)
y = 3 * x + 1
xt, yt = torch.from_numpy(x), torch.from_numpy(y)
model = nn.Linear(1, 1)
print(xt.dtype, model.weight.dtype)
try:
    model(xt)
except RuntimeError as e:
    print(str(e)[:64])
print(model(xt.float()).dtype)
model = model.double()
opt = torch.optim.SGD(model.parameters(), lr=0.5)
for i in range(3):
    opt.zero_grad()
    loss = nn.functional.mse_loss(model(xt), yt)
    loss.backward()
    opt.step()
    print(loss)
print(model.weight, model.weight.grad.dtype, opt.state_dict()["state"])
model.float()
print(model.weight.dtype, model.weight.grad.dtype)
torch.set_default_dtype(torch.float64)
print(
    torch.tensor([1.0]).dtype,
    nn.Linear(1, 1).weight.dtype,
    torch.rand(1).dtype,
    torch.arange(3.0).dtype,
)
torch.set_default_dtype(torch.float32)
mix = torch.ones(2) * torch.tensor([2.0, 3.0], dtype=torch.float64)
print(
    mix,
    (torch.ones(2) * np.float64(2)).dtype,
    (torch.ones(2) * torch.tensor(2.0, dtype=torch.float64)).dtype,
)
w = torch.ones(2, requires_grad=True)
(w.double() * mix).sum().backward()
print(w.grad, w.grad.dtype)
print(
    torch.tensor([1, 2]) / 2,
    torch.tensor([1, 2]) // 2,
    torch.tensor([1, 2]) * 1.5,
    torch.tensor([True, False]).sum(),
)
print((torch.ones(3, dtype=torch.int64) + torch.ones(3)).dtype)
h = torch.tensor([1.0, 2.0]).half()
print(h, h.float().dtype, torch.float16.itemsize, torch.finfo(torch.float16).max)
a = torch.zeros(3)
a_np = a.numpy()
a.add_(1)
print(a_np, torch.as_tensor(a_np).data_ptr() == a.data_ptr())
b = torch.tensor(a_np)
a_np[0] = 7
print(a, b)
try:
    w.numpy()
except RuntimeError as e:
    print(str(e)[:47])
print(w.detach().numpy(), w.tolist(), w[0].item(), float(w[1]))
# requires_grad lost on the way through NumPy and .data
for way in (
    lambda t: torch.tensor(t.detach().numpy()),
    lambda t: t.data * 1,
    lambda t: t.detach(),
    lambda t: torch.tensor(t.tolist()),
    lambda t: t * 1,
):
    out = way(w).sum()
    print(out.requires_grad, out.grad_fn is not None, end="; ")
print()
loss = nn.functional.mse_loss(torch.ones(2, requires_grad=True), torch.ones(2).double() * 2)
print(loss)
try:
    nn.functional.cross_entropy(torch.ones(2, 3), torch.tensor([0.0, 1.0]))
except RuntimeError as e:
    print(str(e)[:53])
print(
    torch.tensor(3.7).int(),
    torch.tensor([-1.5, 2.5]).long(),
    torch.tensor([0.1, 0.2]).to(torch.float64),
    torch.tensor([1.0]).type(torch.LongTensor),
)
print(
    torch.tensor([1.0], dtype=torch.float64).type(),
    torch.ones(1).type_as(torch.ones(1, dtype=torch.int32)).dtype,
    torch.tensor(1).is_floating_point(),
)
print(
    torch.tensor(0.1) + torch.tensor(0.2) == torch.tensor(0.3),
    torch.isclose(torch.tensor(0.1).double() + 0.2, torch.tensor(0.3).double()),
)
print(
    torch.tensor(16777217.0).item(),
    torch.tensor(1e-8) + 1 == 1,
    torch.tensor(float("inf")) - torch.tensor(float("inf")),
)
scaler = 1024.0
p = nn.Parameter(torch.tensor([1e-4]))
(p * 1e-4 * scaler).sum().backward()
p.grad.div_(scaler)
print(p.grad)
