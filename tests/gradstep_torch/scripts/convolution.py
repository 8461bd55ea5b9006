import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(4)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 4, kernel_size=3, padding=1)
        self.bn = nn.BatchNorm2d(4)
        self.drop = nn.Dropout(0.25)
        self.fc = nn.Linear(4 * 4 * 4, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.bn(self.conv1(x))), 2)
        x = self.drop(x)
        return F.log_softmax(self.fc(x.view(x.size(0), -1)), dim=1)


net = Net()
print(net)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.5)
x, y = torch.rand(8, 1, 8, 8), torch.randint(0, 10, (8,))
for _ in range(5):
    optimizer.zero_grad()
    loss = F.nll_loss(net(x), y)
    loss.backward()
    optimizer.step()
    print(f"{loss.item():.3f}")
net.eval()
print(net(x).max(1, keepdim=True)[1].eq(y.view(-1, 1)).sum().item() <= 8)
