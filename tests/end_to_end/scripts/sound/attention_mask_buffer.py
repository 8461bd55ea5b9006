import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, d=8, length=6):
        super().__init__()
        self.qkv = nn.Linear(d, 3 * d)
        self.out = nn.Linear(d, d)
        mask = torch.full((length, length), float("-inf")).triu(1)
        self.register_buffer("mask", mask)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, -1)
        return self.out((q @ k.transpose(-2, -1) / 8**0.5 + self.mask).softmax(-1) @ v)


class Block(nn.Module):
    def __init__(self, vocabulary=12, d=8):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, d)
        self.norm = nn.LayerNorm(d)
        self.attention = Attention(d)
        self.head = nn.Linear(d, vocabulary, bias=False)
        self.head.weight = self.embed.weight

    def forward(self, idx):
        x = self.embed(idx)
        return self.head(x + self.attention(self.norm(x)))


torch.manual_seed(0)
gpt = Block()
optimizer = torch.optim.AdamW(gpt.parameters(), lr=3e-3)
for it in range(8):
    idx = torch.randint(0, 12, (4, 7))
    logits = gpt(idx[:, :-1])
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), idx[:, 1:].flatten())
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
