import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
batches = [(torch.randn(16, 4), torch.randint(0, 3, (16,))) for _ in range(5)]

for epoch in range(4):
    model.train()
    running_loss = 0.0
    optimizer.zero_grad()
    for inputs, targets in batches:
        outputs = model(inputs)
        loss = criterion(outputs, targets)
        loss.backward()
        running_loss += loss.item()
    optimizer.step()
    print(f"epoch {epoch}: {running_loss / len(batches):.4f}")
