import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(1)
data = TensorDataset(torch.randn(48, 3), torch.randint(0, 2, (48,)))
loader = DataLoader(data, batch_size=16, shuffle=True)
net = nn.Sequential(nn.Linear(3, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.2), nn.Linear(8, 2))
criterion = nn.CrossEntropyLoss()
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for epoch in range(3):
    net.train()
    running = 0.0
    for inputs, labels in loader:
        opt.zero_grad()
        loss = criterion(net(inputs), labels)
        loss.backward()
        opt.step()
        running += loss.item()
    net.eval()
    with torch.no_grad():
        right = sum((net(a).argmax(1) == b).sum().item() for a, b in loader)
    print(f"epoch {epoch}: {running / len(loader):.6f} {right / len(data):.4f}")
