import math

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(1337)
B, T, C, H = 2, 8, 16, 4


class Head(nn.Module):
    def __init__(self, head_size):
        super().__init__()
        self.key = nn.Linear(C, head_size, bias=False)
        self.query = nn.Linear(C, head_size, bias=False)
        self.value = nn.Linear(C, head_size, bias=False)
        self.register_buffer("tril", torch.tril(torch.ones(T, T)))
        self.dropout = nn.Dropout(0.0)

    def forward(self, x):
        B, T, C = x.shape
        k, q = self.key(x), self.query(x)
        wei = q @ k.transpose(-2, -1) * k.shape[-1] ** -0.5
        wei = wei.masked_fill(self.tril[:T, :T] == 0, float("-inf"))
        wei = F.softmax(wei, dim=-1)
        return self.dropout(wei) @ self.value(x)


class MHA(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = nn.ModuleList([Head(C // H) for _ in range(H)])
        self.proj = nn.Linear(C, C)

    def forward(self, x):
        return self.proj(torch.cat([h(x) for h in self.heads], dim=-1))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.sa = MHA()
        self.ffwd = nn.Sequential(
            nn.Linear(C, 4 * C), nn.GELU(), nn.Linear(4 * C, C), nn.Dropout(0.0)
        )
        self.ln1 = nn.LayerNorm(C)
        self.ln2 = nn.LayerNorm(C)

    def forward(self, x):
        x = x + self.sa(self.ln1(x))
        return x + self.ffwd(self.ln2(x))


class GPT(nn.Module):
    def __init__(self, V=20):
        super().__init__()
        self.tok = nn.Embedding(V, C)
        self.pos = nn.Embedding(T, C)
        self.blocks = nn.Sequential(*[Block() for _ in range(2)])
        self.ln_f = nn.LayerNorm(C)
        self.lm_head = nn.Linear(C, V)
        self.apply(self._init)

    def _init(self, m):
        if isinstance(m, nn.Linear):
            torch.nn.init.normal_(m.weight, mean=0.0, std=0.02)
            if m.bias is not None:
                torch.nn.init.zeros_(m.bias)
        elif isinstance(m, nn.Embedding):
            torch.nn.init.normal_(m.weight, mean=0.0, std=0.02)

    def forward(self, idx, targets=None):
        B, T = idx.shape
        x = self.tok(idx) + self.pos(torch.arange(T))
        logits = self.lm_head(self.ln_f(self.blocks(x)))
        if targets is None:
            return logits, None
        B, T, V = logits.shape
        return logits, F.cross_entropy(logits.view(B * T, V), targets.view(B * T))

    @torch.no_grad()
    def generate(self, idx, n):
        for _ in range(n):
            logits, _ = self(idx[:, -T:])
            probs = F.softmax(logits[:, -1, :], dim=-1)
            idx = torch.cat((idx, torch.multinomial(probs, num_samples=1)), dim=1)
        return idx


m = GPT()
print(m)
print(sum(p.numel() for p in m.parameters()) / 1e6, "M parameters")
data = torch.randint(20, (200,))
opt = torch.optim.AdamW(m.parameters(), lr=1e-3)
for it in range(20):
    ix = torch.randint(len(data) - T, (4,))
    xb = torch.stack([data[i : i + T] for i in ix])
    yb = torch.stack([data[i + 1 : i + T + 1] for i in ix])
    logits, loss = m(xb, yb)
    opt.zero_grad(set_to_none=True)
    loss.backward()
    opt.step()
    if it % 5 == 0:
        print(it, f"{loss.item():.4f}", loss)
print(m.generate(torch.zeros((1, 1), dtype=torch.long), 10)[0].tolist())
# multihead in one go with einops-like view
q = torch.randn(B, T, H, C // H).transpose(1, 2)
k = torch.randn(B, H, T, C // H)
v = torch.randn(B, H, T, C // H)
mask = torch.triu(torch.ones(T, T, dtype=torch.bool), diagonal=1)
att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
att = att.masked_fill(mask[None, None], float("-inf"))
att = F.softmax(att, -1)
y = (att @ v).transpose(1, 2).contiguous().view(B, T, C)
print(y.shape, y[0, 0, :4])
same = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(B, T, C)
print(torch.allclose(y, same, atol=1e-6))
pe = torch.zeros(T, C)
position = torch.arange(0, T).unsqueeze(1)
div = torch.exp(torch.arange(0, C, 2) * -(math.log(10000.0) / C))
pe[:, 0::2] = torch.sin(position * div)
pe[:, 1::2] = torch.cos(position * div)
print(pe[:2, :4])
