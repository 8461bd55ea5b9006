"""Batches from a thread, training in a generator, another training in a thread of its own."""

import queue
import threading

import torch
from torch import nn

torch.manual_seed(0)


def produce(batches, where):
    for batch in batches:
        where.put(batch)
    where.put(None)


def training(model, opt, where):
    while (batch := where.get()) is not None:
        x, y = batch
        opt.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        opt.step()
        yield loss.item()


def side(results, net):
    nn.init.zeros_(net.weight), nn.init.zeros_(net.bias)
    sgd = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(20):
        sgd.zero_grad()
        (net(torch.ones(4, 1)) - 1).pow(2).mean().backward()
        sgd.step()
    results.append(round(net.weight.item(), 4))


where, results = queue.Queue(maxsize=2), []
batches = [(torch.randn(4, 2), torch.randn(4, 1)) for _ in range(5)]
threads = [
    threading.Thread(target=produce, args=(batches, where)),
    threading.Thread(target=side, args=(results, nn.Linear(1, 1))),
]
model = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
for thread in threads:
    thread.start()
for number, loss in enumerate(training(model, torch.optim.Adam(model.parameters()), where)):
    print(number, loss)
for thread in threads:
    thread.join()
print(results)
