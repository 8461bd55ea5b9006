"""Each Step is given a closure; the model is evaluated before the first one and between epochs."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.2), nn.Linear(8, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
x = torch.randn(64, 4)
y = x[:, :1]


def validate():
    model.eval()
    with torch.no_grad():
        print(nn.functional.mse_loss(model(x), y).item())
    model.train()


validate()
for epoch in range(5):
    for i in range(0, 64, 16):

        def closure():
            loss = nn.functional.mse_loss(model(x[i : i + 16]), y[i : i + 16])
            optimizer.zero_grad()
            loss.backward()
            return loss

        optimizer.step(closure)
    validate()
