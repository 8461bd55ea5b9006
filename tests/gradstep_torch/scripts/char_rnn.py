import string

import torch
import torch.nn as nn

torch.manual_seed(1)
all_letters = string.ascii_letters + " .,;'"
n_letters = len(all_letters)
category_lines = {
    "Italian": ["Rossi", "Bianchi", "Conti"],
    "English": ["Smith", "Jones", "Brown"],
    "Greek": ["Pappas", "Kouros"],
}
all_categories = sorted(category_lines)
n_categories = len(all_categories)


def lineToTensor(line):
    tensor = torch.zeros(len(line), 1, n_letters)
    for li, letter in enumerate(line):
        tensor[li][0][all_letters.find(letter)] = 1
    return tensor


class RNN(nn.Module):
    def __init__(self, input_size, hidden_size, output_size):
        super(RNN, self).__init__()
        self.hidden_size = hidden_size
        self.i2h = nn.Linear(input_size + hidden_size, hidden_size)
        self.i2o = nn.Linear(hidden_size, output_size)
        self.softmax = nn.LogSoftmax(dim=1)

    def forward(self, input, hidden):
        combined = torch.cat((input, hidden), 1)
        hidden = torch.tanh(self.i2h(combined))
        output = self.softmax(self.i2o(hidden))
        return output, hidden

    def initHidden(self):
        return torch.zeros(1, self.hidden_size)


rnn = RNN(n_letters, 12, n_categories)
criterion = nn.NLLLoss()
learning_rate = 0.05


def train(category_tensor, line_tensor):
    hidden = rnn.initHidden()
    rnn.zero_grad()
    for i in range(line_tensor.size()[0]):
        output, hidden = rnn(line_tensor[i], hidden)
    loss = criterion(output, category_tensor)
    loss.backward()
    for p in rnn.parameters():
        p.data.add_(p.grad.data, alpha=-learning_rate)
    return output, loss.item()


def categoryFromOutput(output):
    top_n, top_i = output.topk(1)
    category_i = top_i[0].item()
    return all_categories[category_i], category_i


current_loss = 0
for epoch in range(12):
    for ci, cat in enumerate(all_categories):
        for line in category_lines[cat]:
            output, loss = train(torch.tensor([ci], dtype=torch.long), lineToTensor(line))
            current_loss += loss
    if epoch % 3 == 2:
        guess, _ = categoryFromOutput(output)
        print("%d %.4f %s / %s" % (epoch, current_loss / 24, line, guess))
        current_loss = 0
with torch.no_grad():
    confusion = torch.zeros(n_categories, n_categories)
    for ci, cat in enumerate(all_categories):
        for line in category_lines[cat]:
            hidden = rnn.initHidden()
            for c in lineToTensor(line):
                output, hidden = rnn(c, hidden)
            confusion[ci][output.argmax(1).item()] += 1
    for i in range(n_categories):
        confusion[i] = confusion[i] / confusion[i].sum()
    print(confusion)
# a generator with truncated backpropagation through time
text = "hello world, hello torch. "
chars = sorted(set(text))
ix = {c: i for i, c in enumerate(chars)}
data = torch.tensor([ix[c] for c in text * 4])
emb, cell, head = nn.Embedding(len(chars), 8), nn.GRUCell(8, 16), nn.Linear(16, len(chars))
params = [*emb.parameters(), *cell.parameters(), *head.parameters()]
opt = torch.optim.RMSprop(params, lr=0.01)
h = torch.zeros(1, 16)
for step, start in enumerate(range(0, 96, 12)):
    h = h.detach()
    loss = 0
    for t in range(start, start + 12):
        h = cell(emb(data[t]).unsqueeze(0), h)
        loss += nn.functional.cross_entropy(head(h), data[t + 1].view(1))
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(params, 5.0)
    opt.step()
    print(step, f"{loss.item() / 12:.4f}")
probs = torch.softmax(head(h) / 0.5, dim=-1)
print(torch.multinomial(probs, 1).shape, f"{probs.sum().item():.4f}")
h = torch.zeros(1, 16)
try:
    for _ in range(2):
        h = cell(torch.ones(1, 8), h)
        opt.zero_grad()
        h.sum().backward()
except RuntimeError as e:
    print(str(e)[:50])
