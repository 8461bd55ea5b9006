"""Learning-rate schedulers, as in torch.optim.lr_scheduler."""

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
