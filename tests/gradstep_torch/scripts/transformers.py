import math

import torch
import torch.nn as nn
from torch import Tensor


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, dropout=0.1, max_len=50):
        super().__init__()
        self.dropout = nn.Dropout(p=dropout)
        position = torch.arange(max_len).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        pe = torch.zeros(max_len, 1, d_model)
        pe[:, 0, 0::2] = torch.sin(position * div_term)
        pe[:, 0, 1::2] = torch.cos(position * div_term)
        self.register_buffer("pe", pe)

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.pe[: x.size(0)]
        return self.dropout(x)


class TransformerModel(nn.Module):
    def __init__(self, ntoken, d_model, nhead, d_hid, nlayers, dropout=0.2):
        super().__init__()
        self.pos_encoder = PositionalEncoding(d_model, dropout)
        layer = nn.TransformerEncoderLayer(d_model, nhead, d_hid, dropout)
        self.transformer_encoder = nn.TransformerEncoder(layer, nlayers, enable_nested_tensor=False)
        self.embedding = nn.Embedding(ntoken, d_model)
        self.d_model = d_model
        self.linear = nn.Linear(d_model, ntoken)
        self.init_weights()

    def init_weights(self):
        self.embedding.weight.data.uniform_(-0.1, 0.1)
        self.linear.bias.data.zero_()
        self.linear.weight.data.uniform_(-0.1, 0.1)

    def forward(self, src, src_mask=None):
        src = self.embedding(src) * math.sqrt(self.d_model)
        src = self.pos_encoder(src)
        if src_mask is None:
            src_mask = nn.Transformer.generate_square_subsequent_mask(len(src))
        return self.linear(self.transformer_encoder(src, src_mask))


torch.manual_seed(0)
text = "the cat sat on the mat and the dog sat on the log "
vocab = sorted(set(text))
data = torch.tensor([vocab.index(c) for c in text])
model = TransformerModel(len(vocab), 16, 4, 32, 2)
print(model)
print(sum(p.numel() for p in model.parameters()))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 4, gamma=0.5)
for epoch in range(8):
    model.train()
    total = 0.0
    for i in range(0, 40, 10):
        x, y = data[i : i + 10].view(-1, 2), data[i + 1 : i + 11]
        loss = criterion(model(x).view(-1, len(vocab)), y)
        optimizer.zero_grad()
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        optimizer.step()
        total += loss.item()
    scheduler.step()
    print(f"{epoch} {total / 4:.3f} {norm:.3f} {scheduler.get_last_lr()[0]}")
model.eval()
with torch.no_grad():
    print(model(data[:6, None]).argmax(-1).flatten())

# batches of sentences that are padded
torch.manual_seed(1)
net = nn.Transformer(
    d_model=8,
    nhead=2,
    num_encoder_layers=1,
    num_decoder_layers=1,
    dim_feedforward=16,
    dropout=0.1,
    batch_first=True,
)
src, tgt = torch.randn(3, 5, 8), torch.randn(3, 4, 8)
lengths = torch.tensor([5, 3, 2])
pad = torch.arange(5)[None, :] >= lengths[:, None]
mask = net.generate_square_subsequent_mask(4)
print(mask)
out = net(src, tgt, tgt_mask=mask, src_key_padding_mask=pad, memory_key_padding_mask=pad)
print(out.shape, out[0, 0])
(out * torch.arange(8)).sum().backward()
print(f"{net.encoder.layers[0].self_attn.in_proj_weight.grad.abs().sum():.3f}")
net.eval()
with torch.no_grad():
    print(net.encoder(src, src_key_padding_mask=pad)[1, :, 0])
attention = nn.MultiheadAttention(8, 2, batch_first=True)
out, weights = attention(src, src, src, key_padding_mask=pad)
print(weights[2])
try:
    nn.MultiheadAttention(10, 3)
except Exception as error:
    print(str(error)[:40])
