"""Loops that repeat themselves, until something else is done at one place in one iteration."""

import torch
from torch import nn

torch.manual_seed(0)
x, y = torch.randn(8, 2), torch.randn(8, 1)
other = nn.Linear(2, 1)
criterion = nn.MSELoss()
PLACES = 6


def new_model():
    return nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))


def update(model, optimizer):
    with torch.no_grad():
        model[0].weight *= 0.5


def clear(model, optimizer):
    model[2].bias.grad = None


def scale_gradient(model, optimizer):
    if model[2].bias.grad is not None:
        model[2].bias.grad.mul_(0.5)


def replace_gradient(model, optimizer):
    model[2].bias.grad = torch.ones(1)


def change_option(model, optimizer):
    optimizer.param_groups[0]["lr"] *= 0.5


def add_option(model, optimizer):
    optimizer.param_groups[0]["mine"] = 1


def evaluate(model, optimizer):
    model.eval()
    with torch.no_grad():
        criterion(model(x), y)
    model.train()


def evaluate_from_now_on(model, optimizer):
    model.eval()


def call_another(model, optimizer):
    other(x)


def fail(model, optimizer):
    try:
        model(torch.ones(1, 7))
    except RuntimeError:
        pass


def step_again(model, optimizer):
    optimizer.step()


def learn_another(model, optimizer):
    criterion(other(x), y).backward()


def freeze(model, optimizer):
    model[0].weight.requires_grad_(False)


def forget(model, optimizer):
    del model[1:]
    optimizer.param_groups[0]["params"] = list(model.parameters())


BREAKS = (
    *(update, clear, scale_gradient, replace_gradient, change_option, add_option, evaluate),
    *(evaluate_from_now_on, call_another, fail, step_again, learn_another, freeze, forget),
)


def broken(something, place):
    model = new_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for number in range(7):
        is_broken = number == 4
        if is_broken and place == 0:
            something(model, optimizer)
        optimizer.zero_grad()
        if is_broken and place == 1:
            something(model, optimizer)
        out = model(x)
        if is_broken and place == 2:
            something(model, optimizer)
        loss = criterion(out, y)
        if is_broken and place == 3:
            something(model, optimizer)
        try:
            loss.backward()
        except RuntimeError:
            pass
        if is_broken and place == 4:
            something(model, optimizer)
        optimizer.step()
        if is_broken and place == 5:
            something(model, optimizer)
    print(something.__name__, place, round(loss.item(), 5))


for something in BREAKS:
    for place in range(PLACES):
        broken(something, place)


def epochs(batches, accumulated):
    model = new_model()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2)
    for epoch in range(3):
        for number in range(batches):
            loss = criterion(model(x), y)
            loss.backward()
            if number % accumulated == accumulated - 1:
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                optimizer.zero_grad()
            if number % 4 == 3:
                evaluate(model, optimizer)
        scheduler.step()
    print(loss.item())


epochs(7, 1)
epochs(8, 2)
epochs(1, 1)


class Trainer:
    def __init__(self):
        self.networks = new_model(), new_model()
        self.optimizers = [torch.optim.SGD(net.parameters(), lr=0.1) for net in self.networks]

    def train(self, times):
        for _ in range(times):
            self.learn()

    def learn(self):
        for network, optimizer in zip(self.networks, self.optimizers):
            optimizer.zero_grad()
            self.loss(network).backward()
            optimizer.step()

    def loss(self, network):
        return ((network(x) - y) ** 2).mean()


trainer = Trainer()
trainer.train(5)
trainer.learn()
trainer.train(2)

LIBRARY = """
def fit(model, optimizer, loss_of, between, iterations):
    for number in range(iterations):
        optimizer.zero_grad()
        loss_of(model).backward()
        if number % 3 == 2:
            between(model, optimizer)
        optimizer.step()
"""
library = {}
exec(compile(LIBRARY, "<library>", "exec"), library)  # its loop is below one line of ours
model = new_model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
library["fit"](model, optimizer, lambda model: model(x).mean(), update, 7)
for _ in range(3):
    library["fit"](model, optimizer, trainer.loss, step_again, 4)

model = new_model()
optimizer = torch.optim.LBFGS(model.parameters(), max_iter=3)


def closure():
    optimizer.zero_grad()
    loss = criterion(model(x), y)
    loss.backward()
    return loss


for _ in range(4):
    optimizer.step(closure)

optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for number in range(6):
    optimizer.zero_grad()
    first = criterion(model(x), y)
    for loss in (first, first) if number == 3 else (first,):
        loss.backward(retain_graph=True)
    optimizer.step(closure if number == 4 else None)
    print(loss.item())


class Careless(nn.Module):
    """Changes its own weight, and calls an optimizer, in the middle of a Forward."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 1)
        self.calls = 0

    def forward(self, values):
        self.calls += 1
        if self.calls == 5:
            with torch.no_grad():
                self.linear.weight.mul_(0.5)
        if self.calls == 6:
            careless.zero_grad()
        if self.calls == 7:
            raise ValueError("enough")
        return self.linear(values)


network = Careless()
careless = torch.optim.SGD(network.parameters(), lr=0.1)
for number in range(10):
    careless.zero_grad()
    try:
        criterion(network(x), y).backward()
    except ValueError:
        continue
    careless.step()
print(network.linear.weight.tolist())

clipped = new_model()
clipper = torch.optim.SGD(clipped.parameters(), lr=0.1, momentum=0.9)
for number in range(10):
    clipper.zero_grad()
    criterion(clipped(x), y).backward()
    if number > 4:
        scale_gradient(clipped, clipper)
    nn.utils.clip_grad_norm_(clipped.parameters(), 0.1)
    clipper.step()
