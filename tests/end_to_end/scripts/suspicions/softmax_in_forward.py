"""The model returns probabilities, and a function trains it by other names."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(4, 16)
        self.fc2 = nn.Linear(16, 3)

    def forward(self, x):
        x = F.relu(self.fc1(x))
        x = self.fc2(x)
        return F.softmax(x, dim=1)


def train(net, loader, loss_fn, opt):
    net.train()
    for xb, yb in loader:
        opt.zero_grad()
        out = net(xb)
        loss = loss_fn(out, yb)
        loss.backward()
        opt.step()


torch.manual_seed(0)
x, y = torch.randn(64, 4), torch.randint(0, 3, (64,))
model = Net()
opt = torch.optim.Adam(model.parameters(), lr=0.01)
data = [(x[i : i + 16], y[i : i + 16]) for i in range(0, 64, 16)]
for epoch in range(2):
    train(model, data, nn.CrossEntropyLoss(), opt)
print((model(x).argmax(1) == y).float().mean())
