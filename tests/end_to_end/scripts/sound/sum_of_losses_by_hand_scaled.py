import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(6):
    optimizer.zero_grad()
    for micro in range(3):
        loss = model(torch.randn(4, 4)).pow(2).mean()
        loss.backward()
    for p in model.parameters():
        p.grad /= 3
    optimizer.step()
