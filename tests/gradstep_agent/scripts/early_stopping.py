import copy

import torch
from torch import nn


class EarlyStopping:
    def __init__(self, patience):
        self.patience, self.best, self.bad, self.state = patience, float("inf"), 0, None

    def __call__(self, value, model):
        if value < self.best:
            self.best, self.bad, self.state = value, 0, copy.deepcopy(model.state_dict())
        else:
            self.bad += 1
        return self.bad >= self.patience


torch.manual_seed(0)
x, y = torch.randn(24, 3), torch.randn(24, 1)
model = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
criterion = nn.MSELoss()
stopping = EarlyStopping(patience=2)
for epoch in range(100):
    model.train()
    optimizer.zero_grad()
    criterion(model(x[:16]), y[:16]).backward()
    optimizer.step()
    model.eval()
    with torch.no_grad():
        value = criterion(model(x[16:]), y[16:]).item()
    print(epoch, value)
    if stopping(value, model):
        print("stopped")
        break
model.load_state_dict(stopping.state)
with torch.no_grad():
    print(criterion(model(x[16:]), y[16:]).item() == stopping.best)
