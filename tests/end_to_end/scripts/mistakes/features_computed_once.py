import torch
from torch import nn

torch.manual_seed(0)
encoder, head = nn.Linear(4, 8), nn.Linear(8, 1)
optimizer = torch.optim.SGD([*encoder.parameters(), *head.parameters()], lr=1e-2)
X, y = torch.randn(20, 4), torch.randn(20, 1)
features = torch.relu(encoder(X))
for i in range(5):
    optimizer.zero_grad()
    loss = ((head(features) - y) ** 2).mean()
    loss.backward()
    optimizer.step()
