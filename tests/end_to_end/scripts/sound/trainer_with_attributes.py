import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Trainer:
    def __init__(self, model, loader, lr=0.05):
        self.model, self.loader = model, loader
        self.optimizer = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)
        self.criterion = nn.CrossEntropyLoss()
        self.history = []

    def train_step(self, inputs, targets):
        self.optimizer.zero_grad(set_to_none=True)
        self.loss = self.criterion(self.model(inputs), targets)
        self.loss.backward()
        self.optimizer.step()
        return self.loss.item()

    def evaluate(self):
        self.model.eval()
        with torch.no_grad():
            correct = sum((self.model(x).argmax(1) == y).sum().item() for x, y in self.loader)
        self.model.train()
        return correct / len(self.loader.dataset)

    def fit(self, epochs):
        for self.epoch in range(epochs):
            losses = [self.train_step(x, y) for x, y in self.loader]
            self.history.append((sum(losses) / len(losses), self.evaluate()))


torch.manual_seed(0)
x = torch.randn(60, 4)
data = TensorDataset(x, (x[:, 0] > 0).long())
trainer = Trainer(
    nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.1), nn.Linear(8, 2)),
    DataLoader(data, batch_size=20, shuffle=True),
)
trainer.fit(4)
print(trainer.history[-1])
