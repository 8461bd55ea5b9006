"""Optimizers, as in torch.optim; each names the terms of its update."""

from gradstep.optim import lr_scheduler
from gradstep.optim.adadelta import Adadelta
from gradstep.optim.adagrad import Adagrad
from gradstep.optim.adam import Adam
from gradstep.optim.adamax import Adamax
from gradstep.optim.adamw import AdamW
from gradstep.optim.asgd import ASGD
from gradstep.optim.nadam import NAdam
from gradstep.optim.optimizer import Optimizer
from gradstep.optim.radam import RAdam
from gradstep.optim.rmsprop import RMSprop
from gradstep.optim.rprop import Rprop
from gradstep.optim.sgd import SGD
from gradstep.optim.term import Formula, UpdateVisit

__all__ = [
    "ASGD",
    "SGD",
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "Formula",
    "NAdam",
    "Optimizer",
    "RAdam",
    "RMSprop",
    "Rprop",
    "UpdateVisit",
    "lr_scheduler",
]
