import numpy as np
import torch
from torch.utils.data import (
    BatchSampler,
    ConcatDataset,
    DataLoader,
    Dataset,
    RandomSampler,
    Sampler,
    SequentialSampler,
    Subset,
    SubsetRandomSampler,
    TensorDataset,
    WeightedRandomSampler,
    random_split,
)

torch.manual_seed(7)


class Toy(Dataset):
    def __init__(self, n, transform=None):
        self.x = np.arange(n * 2, dtype=np.float32).reshape(n, 2)
        self.y = np.arange(n) % 3
        self.transform = transform

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        if torch.is_tensor(i):
            i = i.tolist()
        s = {"x": self.x[i], "y": int(self.y[i]), "name": f"n{i}"}
        return self.transform(s) if self.transform else s


ds = Toy(10)
for b in DataLoader(ds, batch_size=4, shuffle=True):
    print(b)
for b in DataLoader(ds, batch_size=4, drop_last=True):
    print(b["y"], b["x"].dtype)
tr, va = random_split(ds, [7, 3], generator=torch.Generator().manual_seed(42))
print(len(tr), va.indices, tr[0])
a, b, c = random_split(range(10), [0.5, 0.3, 0.2])
print(list(a), list(b), list(c))
print(
    len(DataLoader(ds, batch_size=4)),
    len(Subset(ds, [1, 2])),
    len(ConcatDataset([ds, ds])),
    (ds + ds)[15]["name"],
)
w = WeightedRandomSampler([0.1, 0.9, 0.5], 8, replacement=True)
print(list(w), len(w))
print(
    list(SubsetRandomSampler([3, 4, 5])),
    list(BatchSampler(SequentialSampler(range(7)), 3, False)),
    list(RandomSampler(range(5))),
    list(RandomSampler(range(3), replacement=True, num_samples=6)),
)


def collate(batch):
    return torch.nn.utils.rnn.pad_sequence(
        [torch.ones(k + 1) * k for k in batch], batch_first=True
    ), torch.tensor(batch)


for xs, k in DataLoader([0, 2, 1, 4], batch_size=2, collate_fn=collate):
    print(xs, k)
it = iter(DataLoader(TensorDataset(torch.arange(6).float(), torch.arange(6)), batch_size=3))
x, y = next(it)
print(x, y, next(it))
try:
    next(it)
except StopIteration:
    print("stop")
for b in DataLoader([(1, 2.5, "a", [1, 2]), (3, 4.5, "b", [3, 4])], batch_size=2):
    print(b)
for b in DataLoader(["ab", "cd"], batch_size=2):
    print(b)
for b in DataLoader([1, 2, 3], batch_size=None):
    print(b, end=" ")
for b in DataLoader(np.arange(6).reshape(3, 2), batch_size=2):
    print(b)
try:
    next(iter(DataLoader([torch.ones(2), torch.ones(3)], batch_size=2)))
except RuntimeError as e:
    print(str(e)[:28])
try:
    DataLoader([1], batch_size=0)
except ValueError as e:
    print(str(e)[:28])
try:
    DataLoader([1], shuffle=True, sampler=SequentialSampler([1]))
except ValueError as e:
    print(str(e)[:28])
try:
    TensorDataset(torch.ones(2), torch.ones(3))
except AssertionError as e:
    print(str(e)[:28])
try:
    next(iter(DataLoader([None, None], batch_size=2)))
except TypeError as e:
    print(str(e)[:28])
try:
    random_split(range(10), [5, 6])
except ValueError as e:
    print(str(e)[:28])


class S(Sampler):
    def __init__(self, d):
        self.d = d

    def __iter__(self):
        return iter(range(len(self.d) - 1, -1, -1))

    def __len__(self):
        return len(self.d)


print([b.tolist() for b in DataLoader(list(range(5)), sampler=S(range(5)), batch_size=2)])
g = torch.Generator()
g.manual_seed(0)
print(
    [b.tolist() for b in DataLoader(list(range(6)), batch_size=2, shuffle=True, generator=g)],
    [b.tolist() for b in DataLoader(list(range(6)), batch_size=2, shuffle=True, generator=g)],
)
dl = DataLoader(ds, batch_size=5, num_workers=0, pin_memory=False, shuffle=True)
print(
    dl.batch_size,
    dl.dataset is ds,
    dl.drop_last,
    dl.num_workers,
    type(dl.sampler).__name__,
    len(dl.dataset),
)
for i, batch in enumerate(dl, 0):
    print(i, batch["name"])
from torch.utils.data import default_collate

print(
    default_collate([{"a": 1, "b": torch.ones(1)}, {"a": 2, "b": torch.zeros(1)}]),
    default_collate([(1, 2), (3, 4)]),
    default_collate([np.float64(1.5), np.float64(2)]),
    default_collate([True, False]),
)


class It(torch.utils.data.IterableDataset):
    def __iter__(self):
        return iter(range(5))


print([b for b in DataLoader(It(), batch_size=2)])

print(torch.randperm(10), torch.initial_seed())
st = torch.get_rng_state()
r1 = torch.rand(2)
torch.set_rng_state(st)
print(torch.equal(r1, torch.rand(2)))
for b in DataLoader(TensorDataset(torch.arange(5)), batch_size=2, num_workers=2):
    print(b)
