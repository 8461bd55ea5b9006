"""Parameters that become others under the same name: double(), pruning, reset, tied, frozen."""

import torch
from torch import nn
from torch.nn.utils import prune

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 1))
x, y = torch.randn(8, 2), torch.randn(8, 1)


def train(net, inputs, targets, opt, n=2):
    for _ in range(n):
        opt.zero_grad()
        loss = nn.functional.mse_loss(net(inputs), targets)
        loss.backward()
        opt.step()
    return loss.item()


opt = torch.optim.SGD(model.parameters(), lr=0.1)
print(train(model, x, y, opt))
model.double()
opt.zero_grad(set_to_none=True)
print(train(model, x.double(), y.double(), opt))
model.float()
opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
print(train(model, x, y, opt))
with torch.no_grad():  # fewer neurons
    keep = model[0].weight.abs().sum(1).topk(3).indices
    model[0].weight.data = model[0].weight.data[keep]
    model[0].bias.data = model[0].bias.data[keep]
    model[2].weight.data = model[2].weight.data[:, keep]
for p in model.parameters():
    p.grad = None
opt = torch.optim.SGD(model.parameters(), lr=0.1)
print(train(model, x, y, opt), model)
prune.l1_unstructured(model[2], "weight", amount=1)
opt = torch.optim.Adam(model.parameters(), lr=0.1)
print(train(model, x, y, opt), int(model[2].weight.count_nonzero()))
prune.remove(model[2], "weight")
model[0].reset_parameters()
model.add_module("3", nn.Linear(1, 1))
opt.add_param_group({"params": model[3].parameters(), "lr": 0.01})
opt.param_groups[0]["lr"] *= 0.5
print(train(model, x, y, opt))
model[3].requires_grad_(False)
print(train(model, x, y, opt), [len(g["params"]) for g in opt.param_groups])
