import torch
from torch import nn


def repackage_hidden(h):
    return h.detach() if isinstance(h, torch.Tensor) else tuple(repackage_hidden(v) for v in h)


torch.manual_seed(0)
embedding, lstm, decoder = nn.Embedding(10, 6), nn.LSTM(6, 8), nn.Linear(8, 10)
parameters = [*embedding.parameters(), *lstm.parameters(), *decoder.parameters()]
criterion, lr = nn.CrossEntropyLoss(), 1.0
text = torch.randint(0, 10, (41, 4))
for epoch in range(2):
    hidden = (torch.zeros(1, 4, 8), torch.zeros(1, 4, 8))
    for i in range(0, 40, 8):
        data, targets = text[i : i + 8], text[i + 1 : i + 9].reshape(-1)
        for parameter in parameters:
            parameter.grad = None
        hidden = repackage_hidden(hidden)
        output, hidden = lstm(embedding(data), hidden)
        loss = criterion(decoder(output).reshape(-1, 10), targets)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 0.25)
        for p in parameters:
            p.data.add_(p.grad, alpha=-lr)
    print(f"{epoch} {loss.item():.4f}")
