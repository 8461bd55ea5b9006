import numpy as np
import torch

torch.set_printoptions(precision=3, sci_mode=False)
a = torch.arange(12.0).view(3, 4)
print(a[1], a[:, -1], a[a > 5], a[[0, 2]], a[..., None].shape)
a[0] = -1
a[:, 1] += 10
print(a, a.T.contiguous().view(-1)[:5])
b = torch.from_numpy(np.ones((2, 2)))
print(b, b.dtype, b.float().dtype, torch.cat([a[:2, :2].double(), b], dim=0).shape)
print(torch.stack([a[0], a[1]]).mean(dim=0), torch.where(a > 8, a, torch.zeros_like(a)))
print(a.max(dim=1), torch.topk(a.flatten(), 2).values, a.sort(dim=0).indices)
print(torch.einsum("ij,kj->ik", a, a), torch.cumsum(a, 0)[-1])
print(torch.zeros(3).index_add_(0, torch.tensor([0, 2, 2]), torch.ones(3)))
print(torch.eye(2), torch.full((2,), 7), torch.tensor([True, False]), torch.empty(0))
print(a.std(), a.var(dim=1, unbiased=False), torch.histc(a, bins=4), a.unique().numel())
print(
    torch.linspace(0, 1, 5),
    torch.tensor([1e-6, 1.0]),
    torch.tensor([1, 2]) / 2,
    7 // torch.tensor(2),
)
