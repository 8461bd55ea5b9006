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

torch.manual_seed(0)


class DictDataset(Dataset):
    def __init__(self, n, transform=None):
        self.x, self.transform = torch.arange(n).float(), transform

    def __len__(self):
        return len(self.x)

    def __getitem__(self, idx):
        if torch.is_tensor(idx):
            idx = idx.tolist()
        sample = {"x": self.x[idx], "y": int(idx % 2), "name": f"s{idx}", "pair": (idx, idx * 2.0)}
        return self.transform(sample) if self.transform else sample


class EvenFirst(Sampler):
    def __init__(self, data):
        self.data = data

    def __iter__(self):
        return iter([*range(0, len(self.data), 2), *range(1, len(self.data), 2)])

    def __len__(self):
        return len(self.data)


ds = DictDataset(7, transform=lambda s: {**s, "x": s["x"] * 10})
for batch in DataLoader(ds, batch_size=3):
    print(batch)
print(
    [b["x"].tolist() for b in DataLoader(ds, batch_size=2, sampler=EvenFirst(ds), drop_last=True)]
)
print(len(DataLoader(ds, batch_size=2)), len(DataLoader(ds, batch_size=2, drop_last=True)))
targets = torch.tensor([0] * 9 + [1] * 3)
counts = torch.bincount(targets)
weights = 1.0 / counts[targets].float()
sampler = WeightedRandomSampler(weights, num_samples=len(weights), replacement=True)
imbalanced = TensorDataset(torch.arange(12), targets)
for x, y in DataLoader(imbalanced, batch_size=4, sampler=sampler):
    print(x.tolist(), y.float().mean().item())
for x, y in DataLoader(
    imbalanced, batch_sampler=BatchSampler(RandomSampler(imbalanced), batch_size=5, drop_last=False)
):
    print(x.tolist())
print(
    [
        x.tolist()
        for x, _ in DataLoader(imbalanced, batch_size=2, sampler=SubsetRandomSampler([1, 3, 5, 7]))
    ]
)
train, val = random_split(imbalanced, [8, 4], generator=torch.Generator().manual_seed(42))
print(train.indices, val.indices, train[0], len(val))
a, b = random_split(range(10), [0.7, 0.3], generator=torch.Generator().manual_seed(0))
print(list(a), list(b))
both = ConcatDataset([imbalanced, TensorDataset(torch.arange(100, 103), torch.ones(3).long())])
print(len(both), both[12], both[-1])
print(Subset(imbalanced, [0, 11])[1], (train + val)[9])
g = torch.Generator()
g.manual_seed(1)
loader = DataLoader(imbalanced, batch_size=6, shuffle=True, generator=g)
print([x.tolist() for x, _ in loader], [x.tolist() for x, _ in loader])
it = iter(loader)
print(next(it)[0].shape)


def collate_fn(batch):
    xs, ys = zip(*batch)
    return torch.stack(xs).float().unsqueeze(1), torch.tensor([int(y) for y in ys])


for x, y in DataLoader(
    imbalanced, batch_size=5, collate_fn=collate_fn, num_workers=0, pin_memory=False
):
    print(x.shape, y)


class Stream(torch.utils.data.IterableDataset):
    def __iter__(self):
        for i in range(5):
            yield i, float(i) ** 2


print([b for b in DataLoader(Stream(), batch_size=2)])
try:
    DataLoader(imbalanced, batch_size=2, shuffle=True, sampler=sampler)
except ValueError as e:
    print(e)
try:
    for _ in DataLoader([torch.ones(2), torch.ones(3)], batch_size=2):
        pass
except RuntimeError as e:
    print(str(e)[:90])
try:
    next(it), next(it)
except StopIteration:
    print("StopIteration")
print(list(SequentialSampler([5, 6])), torch.utils.data.default_collate([(1, "a"), (2, "b")]))
