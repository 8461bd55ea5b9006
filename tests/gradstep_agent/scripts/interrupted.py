"""Ends by Ctrl+C in the middle of training, having saved what it has."""

import os
import signal
import sys

import torch
from torch import nn

torch.manual_seed(0)
signal.signal(signal.SIGINT, signal.default_int_handler)
model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
try:
    for step in range(100):
        optimizer.zero_grad()
        loss = model(torch.ones(3, 2)).pow(2).mean()
        loss.backward()
        optimizer.step()
        if step == 4:
            os.kill(os.getpid(), signal.SIGINT)
except KeyboardInterrupt:
    print("interrupted at", step, loss.item())
    sys.exit("saved")
