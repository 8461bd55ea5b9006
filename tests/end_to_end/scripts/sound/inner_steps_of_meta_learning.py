import torch
from torch.func import functional_call
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
meta = torch.optim.Adam(net.parameters(), lr=1e-3)
for episode in range(5):
    meta.zero_grad()
    for task in range(3):
        a = torch.rand(1)
        x = torch.randn(8, 1)
        fast = dict(net.named_parameters())
        loss = (functional_call(net, fast, (x,)) - a * x).pow(2).mean()
        grads = torch.autograd.grad(loss, list(fast.values()), create_graph=True)
        fast = {n: p - 0.1 * g for (n, p), g in zip(fast.items(), grads)}
        outer = (functional_call(net, fast, (x,)) - a * x).pow(2).mean() / 3
        outer.backward()
    meta.step()
