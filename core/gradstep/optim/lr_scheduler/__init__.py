"""Learning-rate schedulers, as in torch.optim.lr_scheduler."""

from typing import TYPE_CHECKING

from gradstep.missing_names import missing_from
from gradstep.optim.lr_scheduler.composed import ChainedScheduler, SequentialLR
from gradstep.optim.lr_scheduler.cosine import CosineAnnealingLR, CosineAnnealingWarmRestarts
from gradstep.optim.lr_scheduler.cyclic import CyclicLR
from gradstep.optim.lr_scheduler.factors import (
    ConstantLR,
    ExponentialLR,
    LambdaLR,
    LinearLR,
    MultiplicativeLR,
    MultiStepLR,
    PolynomialLR,
    StepLR,
)
from gradstep.optim.lr_scheduler.one_cycle import OneCycleLR
from gradstep.optim.lr_scheduler.plateau import ReduceLROnPlateau
from gradstep.optim.lr_scheduler.scheduler import LRScheduler

__all__ = [
    "ChainedScheduler",
    "ConstantLR",
    "CosineAnnealingLR",
    "CosineAnnealingWarmRestarts",
    "CyclicLR",
    "ExponentialLR",
    "LRScheduler",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "MultiplicativeLR",
    "OneCycleLR",
    "PolynomialLR",
    "ReduceLROnPlateau",
    "SequentialLR",
    "StepLR",
]

if not TYPE_CHECKING:  # else every name would seem to be there
    __getattr__ = missing_from(__name__)
