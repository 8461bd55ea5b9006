"""L-BFGS, whose closure computes gradients and does not clear those before."""

import torch

torch.manual_seed(0)
x = torch.randn(50, 3)
y = x @ torch.tensor([[1.0], [-2.0], [0.5]]) + 0.3
lin = torch.nn.Linear(3, 1)
opt = torch.optim.LBFGS(lin.parameters(), lr=0.1, max_iter=5)
crit = torch.nn.MSELoss()


def closure():
    out = lin(x)
    loss = crit(out, y)
    loss.backward()
    return loss


for i in range(6):
    loss = opt.step(closure)
    print(i, loss.item())
