"""One loop over all batches with an iterator that begins again, and steps counted by hand."""

import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset


class Stream(IterableDataset):
    def __iter__(self):
        g = torch.Generator().manual_seed(3)
        for _ in range(6):
            yield torch.randn(2, generator=g), torch.randn(1, generator=g)


torch.manual_seed(0)
loader = DataLoader(Stream(), batch_size=2)
net = nn.Sequential(nn.Linear(2, 4), nn.Dropout(0.5), nn.LeakyReLU(), nn.Linear(4, 1))
optim = torch.optim.RMSprop(net.parameters(), lr=1e-2)
sched = torch.optim.lr_scheduler.LambdaLR(optim, lambda step: 1 / (1 + step))
data_iter = iter(loader)
global_step, running = 0, 0.0
while global_step < 7:
    try:
        x, y = next(data_iter)
    except StopIteration:
        data_iter = iter(loader)
        x, y = next(data_iter)
    optim.zero_grad()
    loss = (net(x) - y).abs().mean()
    if not torch.isfinite(loss):
        continue
    loss.backward()
    grad_norm = nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    optim.step()
    sched.step()
    running = 0.9 * running + 0.1 * loss.item()
    global_step += 1
    print(f"{global_step}\t{loss:.6f}\t{grad_norm:.6f}\t{sched.get_last_lr()[0]:.6f}")
print(running)
