import copy
import os
import random
import tempfile

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


def set_seed(seed):
    random.seed(seed)
    torch.manual_seed(seed)
    if torch.cuda.is_available():
        torch.cuda.manual_seed_all(seed)
    torch.backends.cudnn.deterministic = True
    torch.backends.cudnn.benchmark = False


set_seed(3407)
X = torch.randn(48, 4)
Y = (X[:, 0] * X[:, 1] > 0).long()
folder = tempfile.mkdtemp()
path = os.path.join(folder, "checkpoint.pth.tar")


def build():
    model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
    return model, optimizer, scheduler


def epoch(model, optimizer, loader):
    model.train()
    running = 0.0
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        running += loss.item() * x.size(0)
    return running / len(loader.dataset)


def save_checkpoint(state, is_best, filename=path):
    torch.save(state, filename)
    if is_best:
        torch.save(state["model"], os.path.join(folder, "model_best.pth"))


model, optimizer, scheduler = build()
loader = DataLoader(TensorDataset(X, Y), batch_size=16, shuffle=True)
straight, best = [], float("inf")
for e in range(6):
    loss = epoch(model, optimizer, loader)
    scheduler.step()
    straight.append(round(loss, 5))
    if e == 2:
        save_checkpoint(
            {
                "epoch": e + 1,
                "model": model.state_dict(),
                "optimizer": optimizer.state_dict(),
                "scheduler": scheduler.state_dict(),
                "rng": torch.get_rng_state(),
                "best": best,
            },
            loss < best,
        )
    best = min(best, loss)
print(straight)


def resumed(with_optimizer=True, with_rng=True):
    model, optimizer, scheduler = build()
    ck = torch.load(path, weights_only=False)
    print(model.load_state_dict(ck["model"]), end=" ")
    if with_optimizer:
        optimizer.load_state_dict(ck["optimizer"])
        scheduler.load_state_dict(ck["scheduler"])
    if with_rng:
        torch.set_rng_state(ck["rng"])
    losses = []
    for e in range(ck["epoch"], 6):
        losses.append(round(epoch(model, optimizer, loader), 5))
        scheduler.step()
    return losses, optimizer.param_groups[0]["lr"]


print(resumed())
print(resumed(with_optimizer=False))
print(
    resumed(with_optimizer=True)[0] == straight[3:],
    resumed(with_optimizer=False)[0] == straight[3:],
)
best_wts = copy.deepcopy(model.state_dict())
alias = model.state_dict()
epoch(model, optimizer, loader)
print(
    torch.equal(best_wts["0.weight"], model[0].weight),
    torch.equal(alias["0.weight"], model[0].weight),
)
model.load_state_dict(best_wts)
# what people get wrong
try:
    nn.Linear(4, 8).load_state_dict(torch.load(path, weights_only=False))
except RuntimeError as err:
    print(str(err).splitlines()[0], '"weight"' in str(err))
prefixed = {"module." + k: v for k, v in model.state_dict().items()}
try:
    model.load_state_dict(prefixed)
except RuntimeError as err:
    print("Missing" in str(err), "Unexpected" in str(err))
print(model.load_state_dict({k.replace("module.", ""): v for k, v in prefixed.items()}))
partial = {k: v for k, v in model.state_dict().items() if "3." not in k}
result = model.load_state_dict(partial, strict=False)
print(result.missing_keys, result.unexpected_keys)
for k, v in torch.load(path, weights_only=False)["optimizer"]["state"][0].items():
    print(k, v.shape, v.dtype)
state = torch.get_rng_state()
a = torch.rand(2)
torch.set_rng_state(state)
print(torch.equal(a, torch.rand(2)), state.dtype)
with torch.random.fork_rng():
    torch.manual_seed(0)
    torch.rand(1)
print(torch.initial_seed())
