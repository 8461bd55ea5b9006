import torch
from torch import nn

torch.manual_seed(0)


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(4, 8)
        self.head = nn.Linear(8, 2)
        self.hidden = (torch.zeros(1, 1, 8), torch.zeros(1, 1, 8))

    def forward(self, x):
        out, self.hidden = self.lstm(x.view(len(x), 1, -1), self.hidden)
        return self.head(out.view(len(x), -1))


model = Tagger()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
criterion = nn.CrossEntropyLoss()
for epoch in range(3):
    for i in range(4):
        model.zero_grad()
        loss = criterion(model(torch.randn(5, 4)), torch.randint(0, 2, (5,)))
        loss.backward()
        optimizer.step()
