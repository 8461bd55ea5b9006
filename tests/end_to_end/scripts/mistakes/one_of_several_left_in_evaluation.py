import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(32, 4)
y = x.sum(1, keepdim=True)
models = [nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.2), nn.Linear(8, 1)) for _ in range(2)]
optimizers = [torch.optim.SGD(model.parameters(), lr=0.01) for model in models]
for epoch in range(3):
    for step in range(3):
        for model, optimizer in zip(models, optimizers):
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(x), y)
            loss.backward()
            optimizer.step()
    models[1].eval()
    with torch.no_grad():
        print(nn.functional.mse_loss(models[1](x), y).item())
