import atexit
import logging
import sys
import warnings

import torch

logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(levelname)s %(message)s")


def check(loss):
    if not torch.isfinite(loss):
        raise FloatingPointError(f"loss is {loss.item()}")


atexit.register(print, "good bye")
torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=1e30)
try:
    for step in range(9):
        optimizer.zero_grad()
        loss = model(torch.ones(2, 2)).pow(2).mean()
        check(loss)
        loss.backward()
        optimizer.step()
        logging.info("step %d: %r", step, loss.item())
except FloatingPointError as error:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.warn(str(error))
    logging.info("stopped: %s", error)
    sys.exit("gave up")
