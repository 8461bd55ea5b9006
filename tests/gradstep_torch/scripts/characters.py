import random

import torch
from torch import nn

random.seed(0)
torch.manual_seed(0)
text = "hello world, this is a tiny text for a tiny rnn. " * 5
chars = sorted(set(text))
V = len(chars)
c2i = {c: i for i, c in enumerate(chars)}
i2c = {i: c for c, i in c2i.items()}
data = torch.tensor([c2i[c] for c in text], dtype=torch.long)
print(data[:10], data.shape, data.dtype, V)


class RNN(nn.Module):
    def __init__(self, input_size, hidden_size, output_size, n_layers=1):
        super(RNN, self).__init__()
        self.hidden_size, self.n_layers = hidden_size, n_layers
        self.encoder = nn.Embedding(input_size, hidden_size)
        self.gru = nn.GRU(hidden_size, hidden_size, n_layers)
        self.decoder = nn.Linear(hidden_size, output_size)

    def forward(self, input, hidden):
        input = self.encoder(input.view(1, -1))
        output, hidden = self.gru(input.view(1, 1, -1), hidden)
        output = self.decoder(output.view(1, -1))
        return output, hidden

    def init_hidden(self):
        return torch.zeros(self.n_layers, 1, self.hidden_size)


model = RNN(V, 24, V, 2)
print(model)
opt = torch.optim.Adam(model.parameters(), lr=0.005)
crit = nn.CrossEntropyLoss()
for it in range(20):
    hidden = model.init_hidden()
    model.zero_grad()
    loss = 0
    st = random.randint(0, 50)
    for c in range(20):
        out, hidden = model(data[st + c], hidden)
        loss += crit(out, data[st + c + 1].view(1))
    loss.backward()
    opt.step()
    if it % 5 == 0:
        print(it, "%.4f" % (loss.item() / 20), loss.data / 20)


def evaluate(prime="h", n=20, temperature=0.8):
    hidden = model.init_hidden()
    inp = torch.tensor(c2i[prime])
    s = prime
    for _ in range(n):
        out, hidden = model(inp, hidden)
        dist = out.data.view(-1).div(temperature).exp()
        top = torch.multinomial(dist, 1)[0]
        s += i2c[top.item()]
        inp = top
    return s


print(evaluate())


class LSTM(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(V, 8)
        self.lstm = nn.LSTM(8, 16, num_layers=2, batch_first=True, bidirectional=True, dropout=0.0)
        self.fc = nn.Linear(32, V)

    def forward(self, x, h=None):
        o, (h, c) = self.lstm(self.emb(x), h)
        return self.fc(o), (h, c)


m = LSTM()
print(m)
x = data[:60].view(3, 20)
y = data[1:61].view(3, 20)
opt = torch.optim.RMSprop(m.parameters(), lr=1e-2)
for i in range(5):
    o, (h, c) = m(x)
    l = nn.functional.cross_entropy(o.view(-1, V), y.reshape(-1))
    l2 = crit(o.transpose(1, 2), y)
    opt.zero_grad()
    l.backward()
    gn = nn.utils.clip_grad_norm_(m.parameters(), 0.5)
    opt.step()
    print(i, f"{l:.4f} {l2:.4f} {gn:.4f}", h.shape, c.shape, h.requires_grad)
print([n for n, _ in m.named_parameters()])
h = tuple(t.detach() for t in (h, c))
o, _ = m(x, h)
print(o.shape, o.sum().item() > -1e9, o.argmax(-1)[0])
padded = torch.nn.utils.rnn.pad_sequence([data[:3], data[:5], data[:2]], batch_first=True)
print(padded)
packed = torch.nn.utils.rnn.pack_padded_sequence(
    m.emb(padded), [3, 5, 2], batch_first=True, enforce_sorted=False
)
print(packed.batch_sizes, packed.sorted_indices, m.lstm(packed)[1][0].shape)
out, lengths = torch.nn.utils.rnn.pad_packed_sequence(m.lstm(packed)[0], batch_first=True)
print(out.shape, lengths, out[2, 2:].abs().sum())
print(m.lstm.all_weights[0][0].shape, m.lstm.flatten_parameters())
