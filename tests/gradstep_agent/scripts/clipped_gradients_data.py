import torch
import torch.nn as nn

torch.manual_seed(0)
x, y = 5 * torch.randn(32, 4), torch.randn(32, 2)

model = nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    for p in model.parameters():
        p.grad.data.clamp_(-0.5, 0.5)
    optimizer.step()
print(loss.item(), model.weight.tolist())
