"""Training in a class with properties, an abstract base, a moving average, warm restarts, and json."""

import abc
import copy
import json
import logging
import sys

import torch
from torch import nn

logging.basicConfig(
    level=logging.INFO,
    stream=sys.stdout,
    format="%(levelname)s %(funcName)s:%(lineno)d %(message)s",
)
log = logging.getLogger("train")


class Base(abc.ABC):
    def __init__(self):
        self._step = 0

    @property
    def lr(self):
        return self.optimizer.param_groups[0]["lr"]

    @abc.abstractmethod
    def loss(self, batch): ...

    def run(self, batches, epochs):
        for epoch in range(epochs):
            for batch in batches:
                with torch.enable_grad():
                    self.train_step(batch)
            log.info("epoch %d lr %.5f", epoch, self.lr)
            yield {"epoch": epoch, "loss": self.last}

    def train_step(self, batch):
        self.optimizer.zero_grad()
        loss = self.loss(batch)
        loss.backward()
        self.optimizer.step()
        self.scheduler.step()
        self.update_teacher()
        self._step += 1
        self.last = loss.item()


class Student(Base):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.teacher = copy.deepcopy(model).requires_grad_(False).eval()
        self.optimizer = torch.optim.NAdam(model.parameters(), lr=0.05)
        self.scheduler = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(self.optimizer, 3)

    def loss(self, batch):
        x, y = batch
        with torch.no_grad():
            soft = self.teacher(x).softmax(-1)
        logits = self.model(x)
        return nn.functional.cross_entropy(logits, y) + nn.functional.kl_div(
            logits.log_softmax(-1), soft, reduction="batchmean"
        )

    @torch.no_grad()
    def update_teacher(self, tau=0.9):
        for slow, fast in zip(self.teacher.parameters(), self.model.parameters()):
            slow.mul_(tau).add_(fast, alpha=1 - tau)


torch.manual_seed(0)
batches = [(torch.randn(4, 3), torch.randint(2, (4,))) for _ in range(3)]
trainer = Student(nn.Sequential(nn.Linear(3, 5), nn.GELU(), nn.Linear(5, 2)))
print(json.dumps(list(trainer.run(batches, 2)), indent=1))
