"""A search: a new model and optimizer for each trial, the best state kept and loaded."""

import copy
import gc
import weakref

import torch
import torch.nn.functional as F

torch.manual_seed(0)
x = torch.linspace(-1, 1, 16).unsqueeze(1)
y = x.pow(3)
alive = []


def objective(lr, name):
    torch.manual_seed(1)
    net = torch.nn.Sequential(torch.nn.Linear(1, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
    alive.append(weakref.ref(net))
    opt = getattr(torch.optim, name)(net.parameters(), lr=lr)
    best, best_state = float("inf"), None
    for step in range(3):
        opt.zero_grad()
        out = F.mse_loss(net(x), y)
        out.backward()
        opt.step()
        if out.item() < best:
            best, best_state = out.item(), copy.deepcopy(net.state_dict())
    return best, best_state


results = {}
for name in ("SGD", "Adam", "RMSprop"):
    for lr in (0.01, 0.1):
        results[name, lr] = objective(lr, name)
gc.collect()
print([ref() is None for ref in alive])
(name, lr), (loss, state) = min(results.items(), key=lambda item: item[1][0])
print(name, lr, loss)
final = torch.nn.Sequential(torch.nn.Linear(1, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
print(final.load_state_dict(state))
print(F.mse_loss(final(x), y).item())
