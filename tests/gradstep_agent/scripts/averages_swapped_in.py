import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
x = torch.randn(32, 4)
y = x.sum(1, keepdim=True)

model = nn.Linear(4, 1, bias=False)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
average = model.weight.data.clone()
for epoch in range(3):
    for batch in range(2):
        optimizer.zero_grad()
        loss = F.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        average = 0.9 * average + 0.1 * model.weight.data
    kept = model.weight.data
    model.weight.data = average
    with torch.no_grad():
        print(F.mse_loss(model(x), y).item())
    model.weight.data = kept
