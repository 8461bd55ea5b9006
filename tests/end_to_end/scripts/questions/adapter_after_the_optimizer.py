import torch
from torch import nn

torch.manual_seed(0)


class LoRA(nn.Module):
    def __init__(self, base, r=2):
        super().__init__()
        self.base = base
        for p in self.base.parameters():
            p.requires_grad = False
        self.A = nn.Parameter(torch.randn(base.in_features, r) * 0.1)
        self.B = nn.Parameter(torch.zeros(r, base.out_features))

    def forward(self, x):
        return self.base(x) + x @ self.A @ self.B


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 8)
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        return self.head(torch.relu(self.body(x)))


x = torch.randn(60, 4)
y = (x.sum(1) > 0).long()
model = Net()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
model.body = LoRA(model.body)
criterion = nn.CrossEntropyLoss()
for epoch in range(20):
    optimizer.zero_grad()
    loss = criterion(model(x), y)
    loss.backward()
    optimizer.step()
    print(epoch, loss.item())
