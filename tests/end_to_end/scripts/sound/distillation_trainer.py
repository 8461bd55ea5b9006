import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Trainer:
    def __init__(self, student, teacher, loader):
        self.student, self.teacher, self.loader = student, teacher, loader
        self.optimizer = torch.optim.AdamW(student.parameters(), lr=1e-3, weight_decay=0.01)
        self.scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(self.optimizer, T_max=3)

    def step(self, batch):
        x, y = batch
        with torch.no_grad():
            soft = self.teacher(x).softmax(-1)
        logits = self.student(x)
        kl = nn.functional.kl_div(logits.log_softmax(-1), soft, reduction="batchmean")
        loss = 0.5 * kl + 0.5 * nn.functional.cross_entropy(logits, y)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self.optimizer.step()
        return loss.item()

    def fit(self, epochs):
        for _ in range(epochs):
            self.student.train()
            total = sum(self.step(batch) for batch in self.loader)
            self.scheduler.step()
            print(total / len(self.loader))


torch.manual_seed(0)
data = TensorDataset(torch.randn(32, 4), torch.randint(0, 3, (32,)))
Trainer(nn.Linear(4, 3), nn.Linear(4, 3).eval(), DataLoader(data, 8, shuffle=True)).fit(3)
