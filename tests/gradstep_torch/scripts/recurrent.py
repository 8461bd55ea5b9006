import torch
from torch import nn

torch.manual_seed(5)
rnn = nn.RNN(input_size=1, hidden_size=8, num_layers=1, batch_first=True)
out = nn.Linear(8, 1)
parameters = list(rnn.parameters()) + list(out.parameters())
optimizer = torch.optim.Adam(parameters, lr=0.02)
steps = torch.linspace(0, 6.28, 20)
x, y = torch.sin(steps).view(1, 20, 1), torch.cos(steps).view(1, 20, 1)
for _ in range(30):
    hidden, last = rnn(x)
    loss = nn.MSELoss()(out(hidden), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.3f}", hidden.shape, last.shape)
lstm = nn.LSTM(1, 4)
output, (h, c) = lstm(x.transpose(0, 1))
print(output.shape, h.shape, c.shape)
