"""A learner whose callbacks cancel batches and the fit by exceptions, and that has hooks."""

import sys
from functools import partial

import torch
from torch import nn, optim


class CancelFitException(Exception):
    pass


class CancelBatchException(Exception):
    pass


class Callback:
    order = 0


class SkipThird(Callback):
    def before_batch(self, learn):
        if learn.iter % 3 == 2:
            raise CancelBatchException()


class StopAtSeven(Callback):
    order = 1

    def after_step(self, learn):
        if learn.steps == 7:
            raise CancelFitException()


class Hooks(Callback):
    def __init__(self):
        self.stats = []

    def before_fit(self, learn):
        self.handles = [m.register_forward_hook(self.hook) for m in learn.model]
        self.handles.append(learn.model[0].register_full_backward_hook(self.hook_back))
        self.handles.append(learn.model[0].weight.register_hook(lambda g: g.clamp(-1, 1)))

    def hook(self, m, i, o):
        self.stats.append(round(o.std().item(), 4))

    def hook_back(self, m, gi, go):
        self.stats.append(round(go[0].abs().sum().item(), 4))

    def after_fit(self, learn):
        for h in self.handles:
            h.remove()


class with_cbs:
    def __init__(self, nm):
        self.nm = nm

    def __call__(self, f):
        def _f(o, *args, **kwargs):
            try:
                o.callback(f"before_{self.nm}")
                f(o, *args, **kwargs)
                o.callback(f"after_{self.nm}")
            except globals()[f"Cancel{self.nm.title()}Exception"]:
                pass
            finally:
                o.callback(f"cleanup_{self.nm}")

        return _f


class Learner:
    def __init__(self, model, dls, loss_func, opt_func, lr, cbs):
        self.model, self.dls, self.loss_func, self.lr, self.cbs = model, dls, loss_func, lr, cbs
        self.opt_func, self.steps = opt_func, 0

    def callback(self, nm):
        for cb in sorted(self.cbs, key=lambda c: c.order):
            getattr(cb, nm, lambda learn: None)(self)

    @with_cbs("batch")
    def one_batch(self):
        self.preds = self.model(self.batch[0])
        self.loss = self.loss_func(self.preds, self.batch[1])
        self.loss.backward()
        self.opt.step()
        self.steps += 1
        self.callback("after_step")
        self.opt.zero_grad()

    @with_cbs("fit")
    def fit(self, n):
        self.opt = self.opt_func(self.model.parameters(), lr=self.lr)
        for self.epoch in range(n):
            for self.iter, self.batch in enumerate(self.dls):
                self.one_batch()


torch.manual_seed(0)
dls = [(torch.randn(4, 2), torch.randn(4, 1)) for _ in range(5)]
hooks = Hooks()
learn = Learner(
    nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1)),
    dls,
    nn.functional.mse_loss,
    partial(optim.SGD, momentum=0.9),
    0.1,
    [SkipThird(), StopAtSeven(), hooks],
)
learn.fit(4)
hooks.after_fit(learn)
print(learn.epoch, learn.iter, learn.steps, learn.loss.item())
print(hooks.stats[:6], file=sys.stderr)
