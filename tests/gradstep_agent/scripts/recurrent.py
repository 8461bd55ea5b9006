import torch
from torch import nn

torch.manual_seed(5)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(3, 6, batch_first=True)
        self.out = nn.Linear(6, 1)

    def forward(self, x):
        h, _ = self.rnn(x)
        return self.out(h[:, -1])


model = Model()
x, y = torch.randn(8, 5, 3), torch.randn(8, 1)
optimizer = torch.optim.Adam(model.parameters())
for _ in range(3):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    nn.utils.clip_grad_value_(model.parameters(), clip_value=0.1)
    optimizer.step()
print(loss.item())
