import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(7)


class Sequences(Dataset):
    def __init__(self, n):
        self.items = []
        for _ in range(n):
            length = torch.randint(2, 7, (1,)).item()
            tokens = torch.randint(1, 10, (length,))
            self.items.append((tokens, int(tokens.float().mean() > 5)))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


def collate_fn(batch):
    batch.sort(key=lambda b: len(b[0]), reverse=True)
    texts, labels = zip(*batch)
    lengths = torch.tensor([len(t) for t in texts])
    return pad_sequence(texts, batch_first=True), torch.tensor(labels), lengths


class LSTMClassifier(nn.Module):
    def __init__(self, vocab, dim, hidden, classes):
        super().__init__()
        self.embedding = nn.Embedding(vocab, dim, padding_idx=0)
        self.lstm = nn.LSTM(dim, hidden, num_layers=2, batch_first=True, bidirectional=True)
        self.fc = nn.Linear(hidden * 2, classes)

    def forward(self, text, lengths):
        packed = pack_padded_sequence(self.embedding(text), lengths, batch_first=True)
        out, (h, c) = self.lstm(packed)
        out, _ = pad_packed_sequence(out, batch_first=True)
        return self.fc(torch.cat((h[-2], h[-1]), dim=1)), out.shape


loader = DataLoader(Sequences(40), batch_size=8, shuffle=True, collate_fn=collate_fn)
model = LSTMClassifier(10, 6, 8, 2)
print(model)
print(sum(p.numel() for p in model.parameters() if p.requires_grad))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
criterion = nn.CrossEntropyLoss()
for epoch in range(4):
    total, correct = 0.0, 0
    for text, labels, lengths in loader:
        optimizer.zero_grad()
        out, shape = model(text, lengths)
        loss = criterion(out, labels)
        loss.backward()
        optimizer.step()
        total += loss.item() * labels.size(0)
        correct += (out.argmax(1) == labels).sum().item()
    print(f"Epoch {epoch}: {total / 40:.4f} acc {correct / 40:.3f}", shape)
print(model.embedding.weight.grad[0], model.embedding.weight[0])
for name, p in model.lstm.named_parameters():
    print(name, tuple(p.shape), f"{p.grad.norm():.4f}")
