from dataclasses import dataclass, field

import torch
from torch import nn


@dataclass
class State:
    epoch: int = 0
    losses: list = field(default_factory=list)


class Callback:
    def after_batch(self, learner): ...
    def after_epoch(self, learner): ...


class Printer(Callback):
    def after_epoch(self, learner):
        print(learner.state.epoch, learner.state.losses[-1])


class Scheduler(Callback):
    def after_batch(self, learner):
        for group in learner.optimizer.param_groups:
            group["lr"] *= 0.9


class Learner:
    def __init__(self, model, data, callbacks):
        self.model, self.data, self.callbacks = model, data, callbacks
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        self.state = State()

    def batches(self):
        yield from self.data

    def one_batch(self, x, y):
        loss = nn.functional.mse_loss(self.model(x), y)
        loss.backward()
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.state.losses.append(loss.item())

    def fit(self, epochs):
        for self.state.epoch in range(epochs):
            for x, y in self.batches():
                self.one_batch(x, y)
                [callback.after_batch(self) for callback in self.callbacks]
            [callback.after_epoch(self) for callback in self.callbacks]


torch.manual_seed(0)
data = [(torch.randn(4, 2), torch.randn(4, 1)) for _ in range(3)]
Learner(nn.Linear(2, 1), data, [Printer(), Scheduler()]).fit(2)
