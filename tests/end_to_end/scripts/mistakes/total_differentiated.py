import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
X, Y = torch.randn(6, 3, 4), torch.randn(6, 3, 1)
total = 0
for i in range(6):
    optimizer.zero_grad()
    total = total + nn.functional.mse_loss(model(X[i]), Y[i])
    total.backward()
    optimizer.step()
