import torch
from torch import nn

torch.manual_seed(0)
X = torch.randn(64, 4)
Y = X[:, :1] * 2
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=5)
for epoch in range(10):
    for rows in torch.randperm(64).split(16):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(X[rows]), Y[rows])
        loss.backward()
        optimizer.step()
    scheduler.step()
