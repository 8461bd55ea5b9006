"""L-BFGS on the whole data set: its closure clears once, and adds up the batches."""

import torch

torch.manual_seed(0)
data = [(torch.randn(10, 3), torch.randn(10, 1)) for _ in range(3)]
lin = torch.nn.Linear(3, 1)
opt = torch.optim.LBFGS(lin.parameters(), lr=0.1, max_iter=4)


def closure():
    opt.zero_grad()
    total = 0.0
    for x, y in data:
        loss = torch.nn.functional.mse_loss(lin(x), y) / len(data)
        loss.backward()
        total += loss.detach()
    return total


for i in range(5):
    print(i, opt.step(closure).item())
