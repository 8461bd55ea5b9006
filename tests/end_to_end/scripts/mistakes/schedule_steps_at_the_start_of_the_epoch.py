import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(3, 2)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
exp_lr_scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.9)
loader = [(torch.randn(8, 3), torch.randint(0, 2, (8,))) for _ in range(3)]
for epoch in range(4):
    exp_lr_scheduler.step()
    for data, target in loader:
        optimizer.zero_grad()
        loss = criterion(net(data), target)
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch} lr {exp_lr_scheduler.get_last_lr()[0]:.4f} loss {loss.item():.4f}")
