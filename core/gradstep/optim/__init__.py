"""Optimizers, as in torch.optim; each names the terms of its update."""

from gradstep.optim.adam import Adam
from gradstep.optim.adamw import AdamW
from gradstep.optim.optimizer import Optimizer
from gradstep.optim.sgd import SGD
from gradstep.optim.term import Formula, UpdateVisit

__all__ = ["SGD", "Adam", "AdamW", "Formula", "Optimizer", "UpdateVisit"]
