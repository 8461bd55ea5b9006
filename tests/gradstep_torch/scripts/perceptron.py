import torch
import torch.nn.functional as F
from torch import nn, optim

torch.manual_seed(1)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self, hidden=16):
        super().__init__()
        self.fc1 = nn.Linear(2, hidden)
        self.fc2 = nn.Linear(hidden, 2)

    def forward(self, x):
        return self.fc2(F.relu(self.fc1(x)))


x = torch.rand(64, 2).to(device)
y = (x.sum(1) > 1).long()
net = Net().to(device)
print(net)
print(sum(p.numel() for p in net.parameters() if p.requires_grad))
optimizer = optim.Adam(net.parameters(), lr=0.05)
criterion = nn.CrossEntropyLoss()
for _ in range(60):
    optimizer.zero_grad()
    loss = criterion(net(x), y)
    loss.backward()
    optimizer.step()
net.eval()
with torch.no_grad():
    correct = (net(x).argmax(dim=1) == y).float().mean()
print(f"{loss.item():.3f} {correct.item():.2f}")
for name, parameter in net.named_parameters():
    print(name, tuple(parameter.shape), parameter.dtype)
