import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
X = torch.randn(16, 3)
Y = X.sum(1, keepdim=True)
for e in range(20):
    loss = nn.functional.mse_loss(model(X), Y)
    loss.backward()
    print(loss.item())
