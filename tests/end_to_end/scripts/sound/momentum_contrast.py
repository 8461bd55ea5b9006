import copy

import torch
from torch import nn

torch.manual_seed(0)
encoder_q = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 4))
encoder_k = copy.deepcopy(encoder_q).requires_grad_(False)
queue = nn.functional.normalize(torch.randn(4, 32), dim=0)
opt = torch.optim.SGD(encoder_q.parameters(), 0.03, momentum=0.9, weight_decay=1e-4)
for it in range(8):
    x = torch.randn(16, 6)
    q = nn.functional.normalize(encoder_q(x + 0.1 * torch.randn_like(x)), dim=1)
    with torch.no_grad():
        for p, k in zip(encoder_q.parameters(), encoder_k.parameters()):
            k.data = k.data * 0.99 + p.data * 0.01
        k = nn.functional.normalize(encoder_k(x), dim=1)
    logits = torch.cat([(q * k).sum(1, keepdim=True), q @ queue], 1) / 0.2
    loss = nn.functional.cross_entropy(logits, torch.zeros(16, dtype=torch.long))
    opt.zero_grad()
    loss.backward()
    opt.step()
    queue = torch.cat([k.t(), queue], 1)[:, :32]
