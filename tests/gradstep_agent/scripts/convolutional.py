import torch
import torch.nn as nn
import torch.optim as optim

torch.manual_seed(6)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3)
        self.norm = nn.BatchNorm2d(2)
        self.pool = nn.MaxPool2d(2)
        self.fc = nn.Linear(2 * 3 * 3, 3)

    def forward(self, x):
        x = self.pool(torch.relu(self.norm(self.conv(x))))
        return nn.functional.log_softmax(self.fc(x.flatten(1)), dim=1)


net = Net()
optimizer = optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
images, labels = torch.randn(6, 1, 8, 8), torch.randint(0, 3, (6,))
for epoch in range(2):
    for i in range(0, 6, 2):
        optimizer.zero_grad()
        loss = nn.functional.nll_loss(net(images[i : i + 2]), labels[i : i + 2])
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
