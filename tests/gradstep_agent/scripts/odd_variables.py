"""Variables that answer strangely: proxies, objects that raise when they are compared or shown."""

import torch
from torch import nn


class Odd:
    def __eq__(self, other):
        raise RuntimeError("compared")

    def __hash__(self):
        raise RuntimeError("hashed")

    def __repr__(self):
        raise RuntimeError("shown")

    def __getattr__(self, name):
        raise RuntimeError(f"asked for {name}")

    def __bool__(self):
        raise RuntimeError("bool")

    @property
    def __class__(self):
        raise RuntimeError("class")

    @property
    def __dict__(self):
        raise RuntimeError("dict")


class Text(str):
    def __eq__(self, other):
        raise RuntimeError("text compared")

    __hash__ = str.__hash__


class Weight(nn.Parameter):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func.__name__ in {"add", "sub"}:
            print("function", func.__name__)
        return super().__torch_function__(func, types, args, kwargs or {})


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.text = Text("a")
        self.weight = Weight(torch.ones(2, 1))

    def __getattr__(self, name):
        found = super().__getattr__(name)
        if name not in {"weight"}:
            print("asked for", name)
        return found

    def extra_repr(self):
        print("described")
        return "odd net"

    def forward(self, x):
        return x @ self.weight


self = odd = Odd()
text = Text("b")
net = Net()
opt = torch.optim.SGD([net.weight], lr=0.5)
for step in range(3):
    opt.zero_grad()
    loss = net(torch.ones(4, 2)).pow(2).mean()
    loss.backward()
    opt.step()
    print(loss.item())
