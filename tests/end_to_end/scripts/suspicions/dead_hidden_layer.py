"""No unit of the second layer is active from the start, and the last bias is all that learns."""

import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 16)
        self.second = nn.Linear(16, 16)
        self.last = nn.Linear(16, 1)
        nn.init.constant_(self.second.bias, -20.0)

    def forward(self, x):
        x = F.relu(self.first(x))
        return self.last(F.dropout(F.relu(self.second(x)), 0.2, self.training))


torch.manual_seed(0)
x, y = torch.randn(64, 4), torch.rand(64, 1)
model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(24):
    optimizer.zero_grad()
    loss = F.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
