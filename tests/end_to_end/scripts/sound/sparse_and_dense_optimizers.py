import torch
from torch import nn

torch.manual_seed(0)
words = nn.EmbeddingBag(30, 8, mode="mean", sparse=True)
classifier = nn.Linear(8, 2)
sparse = torch.optim.SparseAdam(list(words.parameters()), lr=1e-2)
dense = torch.optim.Adam(classifier.parameters(), lr=1e-2)
for step in range(8):
    text, labels = torch.randint(0, 30, (12, 5)), torch.randint(0, 2, (12,))
    [optimizer.zero_grad() for optimizer in (sparse, dense)]
    loss = nn.functional.cross_entropy(classifier(words(text)), labels)
    loss.backward()
    [optimizer.step() for optimizer in (sparse, dense)]
print(f"{loss.item():.4f}")
