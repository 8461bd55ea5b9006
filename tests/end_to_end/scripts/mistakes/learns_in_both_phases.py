import torch
from torch import nn

torch.manual_seed(0)
train = torch.randn(320, 4)
val = torch.randn(64, 4)
model = nn.Sequential(nn.Linear(4, 16), nn.Dropout(0.2), nn.ReLU(), nn.Linear(16, 2))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-1)


def label(x):
    return (x.sum(1) > 0).long()


for epoch in range(8):
    for phase in ("train", "val"):
        data = train if phase == "train" else val
        if phase == "train":
            model.train()
        else:
            model.eval()
        for i in range(0, len(data), 32):
            optimizer.zero_grad()
            batch = data[i : i + 32]
            loss = criterion(model(batch), label(batch))
            loss.backward()
            optimizer.step()
        print(epoch, phase, loss.item())
