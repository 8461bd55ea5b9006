import torch
from torch import nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 8)
        self.out = nn.Linear(8, 1)

    def forward(self, x):
        self.proj = nn.Linear(8, 8)
        return self.out(torch.relu(self.proj(torch.relu(self.fc(x)))))


net = Net()
optimizer = torch.optim.Adam(net.parameters(), 1e-2)
X = torch.randn(64, 4)
y = X.sum(1, keepdim=True)
for epoch in range(10):
    optimizer.zero_grad()
    loss = (net(X) - y).pow(2).mean()
    loss.backward()
    optimizer.step()
