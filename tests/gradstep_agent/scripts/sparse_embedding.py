import torch
from torch import nn

torch.manual_seed(0)
table = nn.Embedding(10, 3, sparse=True)
head = nn.Linear(3, 1)
sparse = torch.optim.SparseAdam(table.parameters(), lr=0.01)
dense = torch.optim.Adam(head.parameters(), lr=0.01)
for step in range(3):
    words = torch.tensor([[1, 2], [2, step]])
    loss = head(table(words).mean(1)).pow(2).mean()
    sparse.zero_grad()
    dense.zero_grad()
    loss.backward()
    sparse.step()
    dense.step()
    print(loss.item())
