import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
x = torch.randn(32, 4)
y = x.sum(1, keepdim=True)

model = nn.Sequential(nn.Linear(4, 5), nn.Sigmoid(), nn.Linear(5, 1))
for t in range(5):
    loss = F.mse_loss(model(x), y, reduction="sum")
    model.zero_grad()
    loss.backward()
    with torch.no_grad():
        for param in model.parameters():
            param -= 1e-3 * param.grad
print(loss.item())
