"""Optimizers, as in torch.optim; each names the terms of its update."""

from gradstep.optim import lr_scheduler as lr_scheduler
from gradstep.optim.adadelta import Adadelta
from gradstep.optim.adafactor import Adafactor
from gradstep.optim.adagrad import Adagrad
from gradstep.optim.adam import Adam
from gradstep.optim.adamax import Adamax
from gradstep.optim.adamw import AdamW
from gradstep.optim.asgd import ASGD
from gradstep.optim.lbfgs import LBFGS
from gradstep.optim.muon import Muon
from gradstep.optim.nadam import NAdam
from gradstep.optim.optimizer import Optimizer
from gradstep.optim.radam import RAdam
from gradstep.optim.rmsprop import RMSprop
from gradstep.optim.rprop import Rprop
from gradstep.optim.sgd import SGD
from gradstep.optim.sparse_adam import SparseAdam
from gradstep.optim.terms import Formula, UpdateVisit

__all__ = [
    "ASGD",
    "LBFGS",
    "SGD",
    "Adadelta",
    "Adafactor",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "Formula",
    "Muon",
    "NAdam",
    "Optimizer",
    "RAdam",
    "RMSprop",
    "Rprop",
    "SparseAdam",
    "UpdateVisit",
]
