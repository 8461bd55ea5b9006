import numpy as np
import torch

torch.manual_seed(0)
data = [[1, 2], [3, 4]]
x_data = torch.tensor(data)
print(x_data)
np_array = np.array(data)
x_np = torch.from_numpy(np_array)
print(x_np, x_np.dtype)
x_ones = torch.ones_like(x_data)
print(f"Ones Tensor: \n {x_ones} \n")
x_rand = torch.rand_like(x_data, dtype=torch.float)
print(f"Random Tensor: \n {x_rand} \n")
shape = (
    2,
    3,
)
print(torch.rand(shape), torch.ones(shape), torch.zeros(shape))
tensor = torch.rand(3, 4)
print(f"Shape of tensor: {tensor.shape}")
print(f"Datatype of tensor: {tensor.dtype}")
print(f"Device tensor is stored on: {tensor.device}")
if torch.accelerator.is_available():
    tensor = tensor.to(torch.accelerator.current_accelerator())
tensor = torch.ones(4, 4)
print(f"First row: {tensor[0]}")
print(f"First column: {tensor[:, 0]}")
print(f"Last column: {tensor[..., -1]}")
tensor[:, 1] = 0
print(tensor)
t1 = torch.cat([tensor, tensor, tensor], dim=1)
print(t1)
y1 = tensor @ tensor.T
y2 = tensor.matmul(tensor.T)
y3 = torch.rand_like(y1)
y3 = torch.matmul(tensor, tensor.T)
print(y3)
z1 = tensor * tensor
z2 = tensor.mul(tensor)
z3 = torch.rand_like(tensor)
print(torch.mul(tensor, tensor))
agg = tensor.sum()
agg_item = agg.item()
print(agg_item, type(agg_item))
print(f"{tensor} \n")
tensor.add_(5)
print(tensor)
t = torch.ones(5)
print(f"t: {t}")
n = t.numpy()
print(f"n: {n}")
t.add_(1)
print(f"t: {t}")
print(f"n: {n}")
n = np.ones(5)
t = torch.from_numpy(n)
np.add(n, 1, out=n)
print(f"t: {t}")
print(f"n: {n}")
x = torch.empty(5, 3)
print(x.size(), x.shape, len(x))
x = x.new_ones(5, 3, dtype=torch.double)
print(x)
x = torch.randn_like(x, dtype=torch.float)
print(x, x.size())
y = torch.rand(5, 3)
print(x + y)
result = torch.empty(5, 3)
print(x + y)
y.add_(x)
print(y, x[:, 1])
x = torch.randn(4, 4)
y = x.view(16)
z = x.view(-1, 8)
print(x.size(), y.size(), z.size())
x = torch.randn(1)
print(x, x.item())
print(
    torch.zeros(2, 3, dtype=torch.long),
    torch.tensor([5.5, 3]),
    torch.tensor(3),
    torch.tensor([[1, 2.5]]),
    torch.tensor([True, 0 == 1]),
)
print(
    torch.arange(10),
    torch.arange(0, 1, 0.25),
    torch.arange(5, dtype=torch.float),
    torch.linspace(0, 1, 3),
    torch.logspace(0, 2, 3),
    torch.eye(3),
)
print(
    x_data.float().mean(),
    x_data.sum(0),
    x_data.max(),
    x_data.argmax(),
    x_data.float().std(0),
    x_data.float().var(),
)
print(
    torch.matmul(tensor, tensor.T, out=torch.empty(4, 4)),
    torch.add(t1, 1, out=torch.empty(4, 12)).sum(),
)
try:
    x_data.mean()
except RuntimeError as e:
    print(str(e)[:20])
print(
    torch.tensor([1.5, 2.7]).int(),
    torch.tensor([1, 0]).bool(),
    torch.tensor([3]).type(),
    torch.ones(2).type(torch.int64),
    torch.ones(2).type("torch.DoubleTensor") if False else "",
)
a = torch.tensor([[1, 2, 3], [4, 5, 6]])
print(
    a.T,
    a.t(),
    a.transpose(0, 1).shape,
    a.permute(1, 0),
    a.reshape(3, 2),
    a.flatten(),
    a.unsqueeze(0).shape,
    a[None].squeeze().shape,
    a.stride(),
    a.T.is_contiguous(),
)
print(
    a[0, 1],
    a[1],
    a[:, 1:],
    a[a > 2],
    a[[0, 1], [1, 2]],
    a[torch.tensor([1, 0])],
    a[-1, -1].item(),
    a.tolist(),
)
print(
    a == 3,
    a != 3,
    (a > 2) & (a < 5),
    ~(a > 2),
    a % 2,
    a // 2,
    a / 2,
    a**2,
    -a,
    abs(-a),
    a.float() @ a.float().T,
    1 - a,
    2 / a,
    2**a,
)
print(
    torch.chunk(a, 3, dim=1), torch.split(a, 2, dim=1), torch.unbind(a), torch.stack([a, a]).shape
)
print(
    a.element_size(),
    a.numel(),
    a.nelement(),
    a.ndim,
    a.dim(),
    a.is_floating_point(),
    torch.is_tensor(a),
    a.data_ptr() == a.view(-1).data_ptr(),
    a.storage_offset(),
    a[1].storage_offset(),
)
print(torch.get_default_dtype(), torch.float32, torch.int64, torch.half)
print(
    hash(torch.Size([2, 3])) == hash(torch.Size((2, 3))),
    torch.Size([2, 3]) == (2, 3),
    a.shape[0] * a.shape[-1],
    tuple(a.shape),
    list(a.size()),
    a.shape.numel(),
)
for row in a:
    print(row)
print(
    torch.rand(2, 2).round(decimals=2), torch.tensor(3.14159).round(decimals=2), round(3.14159, 2)
)
print(
    torch.tensor(float("nan")),
    torch.tensor([1, float("inf"), -float("inf"), float("nan")]),
    torch.tensor([1e10, 1.0]),
    torch.tensor([1e-5]),
    torch.tensor([123456.789]),
    torch.tensor([0.1, 1000.123]),
)
