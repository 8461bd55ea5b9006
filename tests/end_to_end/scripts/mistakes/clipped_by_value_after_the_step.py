import torch
from torch import nn

torch.manual_seed(0)
rnn, out = nn.GRU(3, 8, batch_first=True), nn.Linear(8, 1)
params = list(rnn.parameters()) + list(out.parameters())
optimizer = torch.optim.SGD(params, lr=0.05)
for step in range(6):
    x = torch.randn(8, 5, 3)
    optimizer.zero_grad()
    hidden, _ = rnn(x)
    loss = nn.functional.mse_loss(out(hidden[:, -1]), 10 * x.sum((1, 2)).unsqueeze(1))
    loss.backward()
    optimizer.step()
    torch.nn.utils.clip_grad_value_(params, 0.01)
print(f"{loss.item():.4f}")
