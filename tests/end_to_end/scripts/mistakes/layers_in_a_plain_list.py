import torch
from torch import nn

torch.manual_seed(0)


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = [nn.Linear(4, 8), nn.Linear(8, 8)]
        self.out = nn.Linear(8, 1)

    def forward(self, x):
        for layer in self.hidden:
            x = torch.relu(layer(x))
        return self.out(x)


x = torch.randn(32, 4)
y = x.sum(1, keepdim=True)
model = Network()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(6):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
