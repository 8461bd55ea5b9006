import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(11)


class Embed(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 16), nn.PReLU(), nn.Linear(16, 2))

    def forward(self, x):
        return F.normalize(self.net(x), p=2, dim=1)


class SiameseNet(nn.Module):
    def __init__(self, embedding_net):
        super().__init__()
        self.embedding_net = embedding_net

    def forward(self, *xs):
        return tuple(self.embedding_net(x) for x in xs)


class ContrastiveLoss(nn.Module):
    def __init__(self, margin=1.0):
        super().__init__()
        self.margin = margin
        self.eps = 1e-9

    def forward(self, output1, output2, target, size_average=True):
        distances = (output2 - output1).pow(2).sum(1)
        losses = 0.5 * (
            target.float() * distances
            + (1 + -1 * target).float() * F.relu(self.margin - (distances + self.eps).sqrt()).pow(2)
        )
        return losses.mean() if size_average else losses.sum()


centres = torch.tensor([[2.0, 0, 0, 0], [0, 2.0, 0, 0], [0, 0, 2.0, 0]])
labels = torch.arange(30) % 3
X = centres[labels] + 0.3 * torch.randn(30, 4)
model = SiameseNet(Embed())
triplet = nn.TripletMarginLoss(margin=0.5, p=2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
for epoch in range(6):
    perm = torch.randperm(30)
    anchors = X
    positives = torch.stack(
        [X[(labels == l).nonzero(as_tuple=True)[0][i % 10]] for i, l in enumerate(labels)]
    )
    negatives = torch.stack(
        [X[(labels != l).nonzero(as_tuple=True)[0][i % 20]] for i, l in enumerate(labels)]
    )
    a, p, n = model(anchors[perm], positives[perm], negatives[perm])
    loss = triplet(a, p, n)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(epoch, f"{loss.item():.5f}", f"{F.pairwise_distance(a, p).mean().item():.5f}")
a, b = model(X[:6], X[6:12])
print(ContrastiveLoss()(a, b, torch.tensor([1, 0, 1, 0, 1, 0])))
print(nn.CosineEmbeddingLoss(margin=0.2)(a, b, torch.tensor([1, -1, 1, -1, 1, -1])))
print(nn.CosineSimilarity(dim=1)(a, b))
print(
    nn.MarginRankingLoss(margin=0.1)(a[:, 0], b[:, 0], torch.ones(6)),
    nn.HingeEmbeddingLoss()(a[:, 0], torch.tensor([1, -1, 1, -1, 1, -1])),
)
# hard mining over all pairs
with torch.no_grad():
    e = model.embedding_net(X)
    d = torch.cdist(e, e)
    same = labels.unsqueeze(0) == labels.unsqueeze(1)
    hardest_positive = d.masked_fill(~same, 0).max(dim=1)[0]
    hardest_negative = d.masked_fill(same, float("inf")).min(dim=1)[0]
    print(hardest_positive[:4], hardest_negative[:4])
# InfoNCE
z1, z2 = model(X[:4], X[:4] + 0.05)
logits = z1 @ z2.T / 0.1
print(F.cross_entropy(logits, torch.arange(4)))
