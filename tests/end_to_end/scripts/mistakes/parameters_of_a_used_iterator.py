import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
params = model.parameters()
optimizer = torch.optim.SGD(params, lr=0.05)
X = torch.randn(64, 4)
y = X.sum(1, keepdim=True)
for epoch in range(10):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(X), y)
    loss.backward()
    nn.utils.clip_grad_norm_(params, 0.1)
    optimizer.step()
