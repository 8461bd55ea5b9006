import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
x = torch.randn(32, 4)
y = x.sum(1, keepdim=True)

model = nn.Linear(4, 1)
average = nn.Linear(4, 1)
average.load_state_dict(model.state_dict())
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    loss = F.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for mean, p in zip(average.parameters(), model.parameters()):
            mean.mul_(0.9).add_(p, alpha=0.1)
with torch.no_grad():
    print(F.mse_loss(average(x), y).item())
