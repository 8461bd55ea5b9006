import torch, torch.nn as nn, torch.nn.functional as F

torch.manual_seed(0)


class VQ(nn.Module):
    def __init__(self, n=8, d=4, decay=0.9):
        super().__init__()
        self.decay = decay
        self.embedding = nn.Embedding(n, d)
        self.register_buffer("cs", torch.zeros(n))
        self.w = nn.Parameter(torch.randn(n, d))

    def forward(self, z):
        idx = torch.cdist(z, self.embedding.weight).argmin(1)
        enc = F.one_hot(idx, 8).float()
        q = enc @ self.embedding.weight
        if self.training:
            self.cs = self.cs * self.decay + (1 - self.decay) * enc.sum(0)
            dw = enc.t() @ z
            self.w = nn.Parameter(self.w * self.decay + (1 - self.decay) * dw)
            self.embedding.weight = nn.Parameter(self.w / (self.cs.unsqueeze(1) + 1e-5))
        loss = 0.25 * F.mse_loss(q.detach(), z)
        return loss, z + (q - z).detach()


enc, vq, dec = nn.Linear(6, 4), VQ(), nn.Linear(4, 6)
model = nn.ModuleDict({"enc": enc, "vq": vq, "dec": dec})
opt = torch.optim.Adam(model.parameters(), lr=1e-3, amsgrad=False)
for i in range(10):
    x = torch.randn(32, 6)
    opt.zero_grad()
    vl, q = vq(enc(x))
    rec = F.mse_loss(dec(q), x)
    loss = rec + vl
    loss.backward()
    opt.step()
    print(i, loss.item())
