"""A line through points, with a loss written by hand: a column less a row is a square."""

import torch

torch.manual_seed(0)
n = 64
x = torch.linspace(-1, 1, n).unsqueeze(1)
y = 3 * x.squeeze() + 0.5 + 0.1 * torch.randn(n)
model = torch.nn.Linear(1, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(8):
    pred = model(x)
    loss = ((pred - y) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(step, loss.item())
