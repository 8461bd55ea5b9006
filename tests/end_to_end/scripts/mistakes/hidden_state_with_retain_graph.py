import torch
from torch import nn

torch.manual_seed(0)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(4, 8, batch_first=True)
        self.head = nn.Linear(8, 1)

    def forward(self, x, state):
        out, state = self.lstm(x, state)
        return self.head(out[:, -1]), state


model = Model()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
criterion = nn.MSELoss()
X, Y = torch.randn(6, 3, 5, 4), torch.randn(6, 3, 1)
hidden = (torch.zeros(1, 3, 8), torch.zeros(1, 3, 8))
for i in range(6):
    optimizer.zero_grad()
    out, hidden = model(X[i], hidden)
    loss = criterion(out, Y[i])
    loss.backward(retain_graph=True)
    optimizer.step()
print(loss.item())
