from itertools import cycle

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
labelled = TensorDataset(torch.randn(32, 4), torch.randint(0, 2, (32,)))
labelled = DataLoader(labelled, batch_size=8, shuffle=True)
unlabelled = DataLoader(TensorDataset(torch.randn(96, 4)), batch_size=24, shuffle=True)
layers = [nn.Linear(4, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 2)]
model = nn.Sequential(*layers)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
for epoch in range(3):
    model.train()
    for (x, y), (u,) in zip(cycle(labelled), unlabelled):
        with torch.no_grad():  # two views, as in MixMatch
            guesses = [model(u + 0.1 * torch.randn_like(u)).softmax(1) for _ in range(2)]
            confidence, guess = (guesses[0] + guesses[1]).div(2).max(1)
        logits = model(torch.cat([x, u]))
        loss = nn.functional.cross_entropy(logits[:8], y)
        extra = nn.functional.cross_entropy(logits[8:], guess, reduction="none")
        loss = loss + (extra * (confidence > 0.6)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        right = sum((model(x).argmax(1) == y).sum().item() for x, y in labelled)
    print(epoch, loss.item(), right / 32)
