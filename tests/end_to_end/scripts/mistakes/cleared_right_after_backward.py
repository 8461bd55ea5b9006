import torch
from torch import nn


def train_epoch(model, loader, criterion, optimizer):
    model.train()
    running = 0.0
    for x, y in loader:
        output = model(x)
        loss = criterion(output, y)
        loss.backward()
        optimizer.zero_grad()
        nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
        optimizer.step()
        running += loss.item()
    return running / len(loader)


torch.manual_seed(0)
model = nn.Linear(4, 2)
loader = [(torch.randn(8, 4), torch.randint(0, 2, (8,))) for _ in range(3)]
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(3):
    print(f"{train_epoch(model, loader, nn.CrossEntropyLoss(), optimizer):.4f}")
