import torch
from torch import nn

torch.manual_seed(0)
X, Y = torch.randn(30, 4), torch.randn(30, 1)
for fold in range(3):
    held = torch.zeros(30, dtype=torch.bool)
    held[fold * 10 : fold * 10 + 10] = True
    model = nn.Sequential(nn.Linear(4, 6), nn.BatchNorm1d(6), nn.ReLU(), nn.Linear(6, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
    for epoch in range(3):
        model.train()
        for i in range(0, 20, 5):
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(X[~held][i : i + 5]), Y[~held][i : i + 5])
            loss.backward()
            optimizer.step()
        scheduler.step()
        model.eval()
        with torch.no_grad():
            score = nn.functional.mse_loss(model(X[held]), Y[held]).item()
    print(fold, score)
