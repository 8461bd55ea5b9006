import torch
from torch import nn

torch.manual_seed(0)
encoder, decoder = nn.Linear(6, 3), nn.Linear(3, 6)
enc_opt = torch.optim.Adam(encoder.parameters(), lr=1e-2)
dec_opt = torch.optim.Adam(decoder.parameters(), lr=1e-2)
for i in range(12):
    x = torch.randn(16, 6)
    enc_opt.zero_grad()
    dec_opt.zero_grad()
    loss = (decoder(torch.tanh(encoder(x))) - x).pow(2).mean()
    loss.backward()
    enc_opt.step()
print(loss.item())
