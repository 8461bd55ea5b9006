import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
adam = torch.optim.Adam(model.parameters(), lr=1e-2)
sgd = torch.optim.SGD(model.parameters(), lr=1e-2, momentum=0.9)
schedulers = [torch.optim.lr_scheduler.StepLR(one, 4) for one in (adam, sgd)]
for epoch in range(10):
    optimizer = adam if epoch < 6 else sgd
    for _ in range(3):
        x = torch.randn(8, 4)
        optimizer.zero_grad()
        loss = (model(x) - x.sum(1, keepdim=True)).pow(2).mean()
        loss.backward()
        optimizer.step()
    for scheduler in schedulers:
        scheduler.step()
