"""What looks into torch itself: jit, fx, deepcopy, pickle, inspect, anomaly mode."""

import copy
import inspect
import io
import pickle

import torch
from torch import nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(3, 4), nn.Linear(4, 1)

    def forward(self, x):
        return self.fc2(torch.relu(self.fc1(x)))


model = Net()
x = torch.randn(5, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
print(inspect.signature(optimizer.step), inspect.signature(model.zero_grad))
print(inspect.signature(torch.autograd.backward))
print(torch.fx.symbolic_trace(model).code.strip())
scripted = torch.jit.script(model)
traced = torch.jit.trace(model, x)
for step in range(2):
    optimizer.zero_grad()
    with torch.autograd.set_detect_anomaly(True):
        loss = (model(x) + scripted(x) + traced(x)).pow(2).mean()
        loss.backward()
    optimizer.step()
twin = copy.deepcopy(model)
other = copy.deepcopy(optimizer)
buffer = io.BytesIO()
torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, buffer)
print(len(pickle.dumps(model.state_dict())) > 0, sorted(vars(model)) == sorted(vars(Net())))
print(sorted(vars(model.fc1.weight)), sorted(vars(loss)), type(loss).__name__)
print(
    torch.autograd.gradcheck(
        lambda t: t.pow(2).sum(), torch.randn(2, dtype=torch.double, requires_grad=True)
    )
)
print(torch.autograd.functional.hessian(lambda t: t.pow(3).sum(), torch.ones(2)))
print(sum(p.numel() for p in twin.parameters()), len(other.param_groups), loss.item())
print(torch.get_rng_state().sum().item())
