import torch
from torch import nn


class Experiment:
    def __init__(self):
        self.model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
        self.optimizer = torch.optim.Adam(self.model.parameters())

    def run_epoch(self, batches):
        epoch_loss = 0
        for x, y in batches:
            self.optimizer.zero_grad()
            loss = nn.functional.l1_loss(self.model(x), y)
            loss.backward()
            self.optimizer.step()
            epoch_loss += loss
        return epoch_loss / len(batches)


torch.manual_seed(0)
experiment = Experiment()
batches = [(torch.randn(8, 4), torch.randn(8, 1)) for _ in range(12)]
for epoch in range(3):
    print(f"{epoch} {experiment.run_epoch(batches):.4f}")
