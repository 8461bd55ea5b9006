import copy

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, SubsetRandomSampler, TensorDataset

torch.manual_seed(0)
X = torch.randn(40, 3)
y = (X @ torch.tensor([1.0, -1.0, 0.5]) + 0.3 * torch.randn(40)).unsqueeze(1)
dataset = TensorDataset(X, y)


def reset_weights(m):
    for layer in m.children():
        if hasattr(layer, "reset_parameters"):
            layer.reset_parameters()


class EarlyStopper:
    def __init__(self, patience=1, min_delta=0):
        self.patience, self.min_delta, self.counter, self.min_validation_loss = (
            patience,
            min_delta,
            0,
            float("inf"),
        )

    def early_stop(self, validation_loss):
        if validation_loss < self.min_validation_loss:
            self.min_validation_loss = validation_loss
            self.counter = 0
        elif validation_loss > (self.min_validation_loss + self.min_delta):
            self.counter += 1
            if self.counter >= self.patience:
                return True
        return False


network = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Dropout(0.0), nn.Linear(16, 1))
indices = torch.randperm(40)
results = {}
for fold, val_ids in enumerate(indices.chunk(4)):
    train_ids = torch.cat([c for i, c in enumerate(indices.chunk(4)) if i != fold])
    network.apply(lambda m: None)
    reset_weights(network)
    optimizer = torch.optim.Adam(network.parameters(), lr=0.05)
    trainloader = DataLoader(dataset, batch_size=10, sampler=SubsetRandomSampler(train_ids))
    valloader = DataLoader(dataset, batch_size=10, sampler=SubsetRandomSampler(val_ids))
    stopper = EarlyStopper(patience=2, min_delta=0.001)
    for epoch in range(30):
        network.train()
        for inputs, targets in trainloader:
            optimizer.zero_grad()
            loss = F.mse_loss(network(inputs), targets)
            loss.backward()
            optimizer.step()
        network.eval()
        with torch.no_grad():
            val = sum(F.mse_loss(network(a), b).item() for a, b in valloader) / len(valloader)
        if stopper.early_stop(val):
            break
    results[fold] = round(stopper.min_validation_loss, 4)
    print(f"Fold {fold}: stopped at {epoch}, best {stopper.min_validation_loss:.4f}")
print(np.mean(list(results.values())).round(4), sum(results.values()) / len(results) > 0)
# an ensemble and its disagreement
members = []
for seed in range(3):
    torch.manual_seed(seed)
    m = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
    opt = torch.optim.LBFGS(m.parameters(), lr=1, max_iter=5)

    def closure():
        opt.zero_grad()
        loss = F.mse_loss(m(X), y)
        loss.backward()
        return loss

    first = opt.step(closure).item()
    members.append(m)
    print(seed, f"{first:.4f} {F.mse_loss(m(X), y).item():.4f}")
with torch.no_grad():
    stack = torch.stack([m(X[:4]) for m in members])
    print(stack.mean(0).squeeze(), stack.std(0, unbiased=False).squeeze())
    votes = torch.stack([(m(X) > 0).long() for m in members]).squeeze(-1)
    print((votes.sum(0) >= 2).long()[:10])
soup = copy.deepcopy(members[0])
sd = soup.state_dict()
for k in sd:
    sd[k] = torch.stack([m.state_dict()[k] for m in members]).mean(0)
soup.load_state_dict(sd)
print(soup[0].bias)
pred = torch.tensor([0, 1, 1, 0, 1])
true = torch.tensor([0, 1, 0, 0, 1])
tp = ((pred == 1) & (true == 1)).sum().item()
precision, recall = tp / (pred == 1).sum().item(), tp / (true == 1).sum().item()
print(
    precision,
    recall,
    f"{2 * precision * recall / (precision + recall):.4f}",
    (pred == true).float().mean(),
)
