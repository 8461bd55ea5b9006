"""Each epoch ends with an evaluation, and the model is never put in evaluation mode."""

import torch
from torch import nn

torch.manual_seed(0)
layers = [nn.Linear(4, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 2)]
model = nn.Sequential(*layers)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
criterion = nn.CrossEntropyLoss()
x, y = torch.randn(64, 4), torch.randint(0, 2, (64,))
for epoch in range(4):
    for i in range(0, 48, 16):
        optimizer.zero_grad()
        loss = criterion(model(x[i : i + 16]), y[i : i + 16])
        loss.backward()
        optimizer.step()
    correct = 0
    with torch.no_grad():
        for i in range(48, 64, 8):
            outputs = model(x[i : i + 8])
            correct += (outputs.argmax(1) == y[i : i + 8]).sum().item()
    print(epoch, loss.item(), correct / 16)
