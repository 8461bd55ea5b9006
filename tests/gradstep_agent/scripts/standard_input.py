import sys

import torch

lr = float(input("learning rate: "))
rows = torch.tensor([[float(word) for word in line.split()] for line in sys.stdin])
x, y = rows[:, :1], rows[:, 1:]
w = torch.zeros(1, 1, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=lr)
for step in range(4):
    optimizer.zero_grad()
    loss = ((x @ w - y) ** 2).mean()
    loss.backward()
    optimizer.step()
    print(step, w.item())
