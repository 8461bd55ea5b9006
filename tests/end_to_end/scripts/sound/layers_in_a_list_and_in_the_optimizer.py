"""The layers of a plain list are passed to the optimizer, or moved by hand."""

import torch
from torch import nn

torch.manual_seed(0)


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = [nn.Linear(4, 8), nn.Linear(8, 8)]
        self.scales = [nn.Parameter(torch.ones(8))]
        self.out = nn.Linear(8, 1)

    def forward(self, x):
        for layer in self.hidden:
            x = torch.relu(layer(x))
        return self.out(x * self.scales[0])


x = torch.randn(32, 4)
y = x.sum(1, keepdim=True)
model = Network()
hidden = [parameter for layer in model.hidden for parameter in layer.parameters()]
optimizer = torch.optim.SGD([*model.parameters(), *hidden], lr=0.01)
for step in range(6):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        model.scales[0] -= 0.01 * model.scales[0].grad
        model.scales[0].grad = None
