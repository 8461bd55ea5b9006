"""All keys of one sequence are masked, so that its attention has nothing to choose from."""

import torch
from torch import nn

torch.manual_seed(0)
x, y = torch.randn(8, 5, 4), torch.randn(8, 5, 4)
is_padding = torch.zeros(8, 5, dtype=torch.bool)
is_padding[2] = True
attention = nn.MultiheadAttention(4, 2, batch_first=True)
optimizer = torch.optim.SGD(attention.parameters(), lr=0.1)
for step in range(5):
    optimizer.zero_grad()
    out, _ = attention(x, x, x, key_padding_mask=is_padding)
    loss = ((out - y) ** 2).mean()
    loss.backward()
    optimizer.step()
