"""The probabilities that are printed are what the criterion is given."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
x, y = torch.randn(32, 4), torch.randint(0, 3, (32,))
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(5):
    optimizer.zero_grad()
    outputs = model(x)
    probabilities = F.softmax(outputs, dim=1)
    loss = F.cross_entropy(probabilities, y)
    loss.backward()
    optimizer.step()
    print(probabilities.max(1).values.mean())
