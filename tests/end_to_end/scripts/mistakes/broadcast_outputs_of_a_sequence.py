"""A recurrent network whose outputs lost their last dimension, on slices of a data set."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(2, 8, batch_first=True)
        self.fc = nn.Linear(8, 1)

    def forward(self, x):
        out, _ = self.rnn(x)
        return self.fc(out[:, -1, :]).squeeze()


torch.manual_seed(0)
model = Net()
criterion = nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
sequences = torch.randn(40, 6, 2)
targets = sequences.sum((1, 2)).reshape(-1, 1)
for epoch in range(3):
    for i in range(0, 40, 10):
        optimizer.zero_grad()
        loss = criterion(model(sequences[i : i + 10]), targets[i : i + 10])
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
