import torch, torch.nn as nn, torch.nn.functional as F

torch.manual_seed(0)


class Mixed(nn.Module):
    def __init__(self):
        super().__init__()
        self.ops = nn.ModuleList([nn.Linear(4, 4), nn.Sequential(nn.Linear(4, 4), nn.Tanh())])
        self.head = nn.Linear(4, 2)
        self.alpha = nn.Parameter(1e-3 * torch.randn(2))

    def forward(self, x):
        w = F.softmax(self.alpha, 0)
        return self.head(sum(a * op(x) for a, op in zip(w, self.ops)))

    def arch_parameters(self):
        return [self.alpha]

    def weights(self):
        return [p for n, p in self.named_parameters() if n != "alpha"]


m = Mixed()
w_opt = torch.optim.SGD(m.weights(), lr=0.05, momentum=0.9, weight_decay=3e-4)
a_opt = torch.optim.Adam(m.arch_parameters(), lr=3e-3, weight_decay=1e-3)
for epoch in range(2):
    for step in range(5):
        xt, yt = torch.randn(16, 4), torch.randint(0, 2, (16,))
        xv, yv = torch.randn(16, 4), torch.randint(0, 2, (16,))
        a_opt.zero_grad()
        F.cross_entropy(m(xv), yv).backward()
        a_opt.step()
        w_opt.zero_grad()
        loss = F.cross_entropy(m(xt), yt)
        loss.backward()
        nn.utils.clip_grad_norm_(m.weights(), 5)
        w_opt.step()
    print(epoch, loss.item())
