import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 2))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
train_loader = [(torch.randn(16, 4), torch.randint(0, 2, (16,))) for _ in range(4)]
val_loader = [(torch.randn(16, 4), torch.randint(0, 2, (16,))) for _ in range(2)]


def validate():
    model.eval()
    total = 0.0
    with torch.no_grad():
        for inputs, labels in val_loader:
            total += criterion(model(inputs), labels).item()
    return total / len(val_loader)


model.train()
for epoch in range(3):
    for inputs, labels in train_loader:
        optimizer.zero_grad()
        outputs = model(inputs)
        loss = criterion(outputs, labels)
        loss.backward()
        optimizer.step()
    print(f"{epoch} {validate():.4f}")
