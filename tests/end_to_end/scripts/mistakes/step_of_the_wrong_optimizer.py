import torch
from torch import nn

torch.manual_seed(0)
encoder, decoder = nn.GRU(3, 8, batch_first=True), nn.GRU(8, 3, batch_first=True)
encoder_optimizer = torch.optim.SGD(encoder.parameters(), lr=0.05)
decoder_optimizer = torch.optim.SGD(decoder.parameters(), lr=0.05)
for it in range(5):
    x = torch.randn(8, 5, 3)
    encoder_optimizer.zero_grad()
    decoder_optimizer.zero_grad()
    h, _ = encoder(x)
    out, _ = decoder(h)
    loss = nn.functional.mse_loss(out, x)
    loss.backward()
    encoder_optimizer.step()
    encoder_optimizer.step()
print(loss.item())
