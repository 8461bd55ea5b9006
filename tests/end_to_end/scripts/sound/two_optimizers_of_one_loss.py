import torch
from torch import nn

torch.manual_seed(0)
embedding = nn.Embedding(10, 4, sparse=True)
model = nn.Linear(4, 2)
sparse_opt = torch.optim.SparseAdam(list(embedding.parameters()), lr=1e-2)
dense_opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(6):
    words, labels = torch.randint(0, 10, (8,)), torch.randint(0, 2, (8,))
    loss = nn.functional.cross_entropy(model(embedding(words)), labels)
    sparse_opt.zero_grad()
    dense_opt.zero_grad()
    loss.backward()
    sparse_opt.step()
    dense_opt.step()
