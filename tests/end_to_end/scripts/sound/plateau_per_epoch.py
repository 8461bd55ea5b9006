import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.1), nn.Linear(8, 1))
optimizer = torch.optim.Adam(model.parameters())
scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=0)
X, Y = torch.randn(40, 4), torch.randn(40, 1)
V, W = torch.randn(10, 4), torch.randn(10, 1)


def train_one_epoch():
    model.train()
    for i in range(0, 40, 4):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(X[i : i + 4]), Y[i : i + 4])
        loss.backward()
        optimizer.step()


@torch.no_grad()
def validate():
    model.eval()
    return nn.functional.mse_loss(model(V), W)


for epoch in range(4):
    train_one_epoch()
    scheduler.step(validate())
