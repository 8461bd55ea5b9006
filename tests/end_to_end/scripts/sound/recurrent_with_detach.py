import torch
from torch import nn

torch.manual_seed(0)
rnn = nn.LSTM(3, 6, batch_first=True)
decoder = nn.Linear(6, 1)
params = list(rnn.parameters()) + list(decoder.parameters())
optimizer = torch.optim.Adam(params, lr=1e-2)
series = torch.randn(2, 40, 3)
for epoch in range(2):
    hidden = (torch.zeros(1, 2, 6), torch.zeros(1, 2, 6))
    for t in range(0, 40, 8):
        hidden = tuple(h.detach() for h in hidden)
        chunk = series[:, t : t + 8]
        out, hidden = rnn(chunk, hidden)
        loss = nn.functional.mse_loss(decoder(out), chunk[..., :1])
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(params, 0.25)
        optimizer.step()
