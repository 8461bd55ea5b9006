import math

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class BasicBlock(nn.Module):
    expansion = 1

    def __init__(self, i, o, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(i, o, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(o)
        self.conv2 = nn.Conv2d(o, o, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(o)
        self.relu = nn.ReLU(inplace=True)
        self.shortcut = nn.Sequential()
        if stride != 1 or i != o:
            self.shortcut = nn.Sequential(nn.Conv2d(i, o, 1, stride, bias=False), nn.BatchNorm2d(o))

    def forward(self, x):
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        out += self.shortcut(x)
        return F.relu(out)


class ResNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, padding=1)
        self.l1 = self._make(8, 8, 2, 1)
        self.l2 = self._make(8, 16, 2, 2)
        self.pool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(16, 10)
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight, mode="fan_out", nonlinearity="relu")
            elif isinstance(m, (nn.BatchNorm2d, nn.GroupNorm)):
                nn.init.constant_(m.weight, 1)
                nn.init.constant_(m.bias, 0)

    def _make(self, i, o, n, s):
        return nn.Sequential(BasicBlock(i, o, s), *[BasicBlock(o, o) for _ in range(n - 1)])

    def forward(self, x):
        x = self.l2(self.l1(self.stem(x)))
        x = self.pool(x)
        x = torch.flatten(x, 1)
        return self.fc(x)


net = ResNet()
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9, weight_decay=5e-4)
sch = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=5)
X, y = torch.randn(8, 3, 8, 8), torch.randint(0, 10, (8,))
crit = nn.CrossEntropyLoss(label_smoothing=0.1)
for i in range(5):
    opt.zero_grad()
    l = crit(net(X), y)
    l.backward()
    opt.step()
    sch.step()
    print(i, f"{l.item():.3f}", sch.get_last_lr()[0])
print(net.l2[0])
print(sum(p.numel() for p in net.parameters()))


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.d1 = self.blk(1, 4)
        self.d2 = self.blk(4, 8)
        self.pool = nn.MaxPool2d(2)
        self.up = nn.ConvTranspose2d(8, 4, 2, stride=2)
        self.u1 = self.blk(8, 4)
        self.out = nn.Conv2d(4, 1, 1)

    def blk(self, i, o):
        return nn.Sequential(
            nn.Conv2d(i, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU(inplace=True)
        )

    def forward(self, x):
        a = self.d1(x)
        b = self.d2(self.pool(a))
        c = self.up(b)
        return self.out(self.u1(torch.cat([c, a], dim=1)))


u = UNet()
o = u(torch.randn(2, 1, 8, 8))
l = F.binary_cross_entropy_with_logits(
    o, (torch.rand(2, 1, 8, 8) > 0.5).float(), pos_weight=torch.tensor([2.0])
)
l.backward()
print(o.shape, l, u.up.weight.grad.abs().mean())


class Siamese(nn.Module):
    def __init__(self):
        super().__init__()
        self.e = nn.Sequential(nn.Linear(4, 8), nn.PReLU(), nn.Linear(8, 2))

    def forward(self, a, b):
        return self.e(a), self.e(b)


s = Siamese()
a, b = s(torch.randn(6, 4), torch.randn(6, 4))
d = F.pairwise_distance(a, b)
lab = torch.tensor([0.0, 1, 0, 1, 1, 0])
cl = torch.mean((1 - lab) * torch.pow(d, 2) + lab * torch.pow(torch.clamp(2.0 - d, min=0.0), 2))
cl.backward()
print(d, cl, s.e[1].weight.grad)
tl = nn.TripletMarginLoss(margin=1.0)(a, b, torch.randn(6, 2))
ce = nn.CosineEmbeddingLoss()(a, b, lab * 2 - 1)
cs = F.cosine_similarity(a, b)
mr = nn.MarginRankingLoss()(d, d * 2, lab * 2 - 1)
print(f"{tl:.4f} {ce:.4f} {mr:.4f}", cs)
sim = F.normalize(a) @ F.normalize(b).T / 0.5
lc = (F.cross_entropy(sim, torch.arange(6)) + F.cross_entropy(sim.T, torch.arange(6))) / 2
print(lc)


class MF(nn.Module):
    def __init__(self):
        super().__init__()
        self.u = nn.Embedding(5, 3)
        self.i = nn.Embedding(7, 3)
        self.ub = nn.Embedding(5, 1)
        nn.init.xavier_uniform_(self.u.weight)

    def forward(self, u, i):
        return (self.u(u) * self.i(i)).sum(1) + self.ub(u).squeeze()


mf = MF()
opt = torch.optim.Adagrad(mf.parameters(), lr=0.1)
for _ in range(3):
    opt.zero_grad()
    l = F.mse_loss(
        mf(torch.tensor([0, 1, 1]), torch.tensor([2, 3, 6])), torch.tensor([1.0, 2.0, 3.0])
    )
    l.backward()
    opt.step()
    print(l)
print(mf.u.weight.grad)


# seq2seq with attention
class Enc(nn.Module):
    def __init__(self):
        super().__init__()
        self.e = nn.Embedding(10, 6)
        self.r = nn.GRU(6, 6, batch_first=True, bidirectional=True)
        self.f = nn.Linear(12, 6)

    def forward(self, x):
        o, h = self.r(self.e(x))
        return o, torch.tanh(self.f(torch.cat((h[-2], h[-1]), dim=1)))


class Dec(nn.Module):
    def __init__(self):
        super().__init__()
        self.e = nn.Embedding(10, 6)
        self.a = nn.Linear(18, 1)
        self.c = nn.GRUCell(18, 6)
        self.o = nn.Linear(6, 10)

    def forward(self, tok, h, enc):
        s = self.a(torch.cat([h.unsqueeze(1).repeat(1, enc.shape[1], 1), enc], -1)).squeeze(-1)
        al = F.softmax(s, dim=1)
        ctx = torch.bmm(al.unsqueeze(1), enc).squeeze(1)
        h = self.c(torch.cat([self.e(tok), ctx], -1), h)
        return self.o(h), h, al


e, d = Enc(), Dec()
src, tgt = torch.randint(0, 10, (3, 5)), torch.randint(0, 10, (3, 4))
eo, h = e(src)
outs = torch.zeros(4, 3, 10)
tok = tgt[:, 0]
for tt in range(1, 4):
    out, h, al = d(tok, h, eo)
    outs[tt] = out
    tok = out.argmax(1) if tt % 2 else tgt[:, tt]
l = F.cross_entropy(outs[1:].reshape(-1, 10), tgt.T[1:].reshape(-1), ignore_index=0)
l.backward()
print(l, al[0], e.e.weight.grad.abs().sum(), d.c.weight_ih.grad.norm())
# mixture density / gaussian nll / poisson / kl / huber / multilabel
mu, s = torch.randn(4), torch.rand(4) + 0.5
print(
    nn.GaussianNLLLoss()(mu, torch.zeros(4), s),
    nn.PoissonNLLLoss()(mu, torch.ones(4)),
    nn.KLDivLoss(reduction="batchmean")(
        F.log_softmax(torch.randn(2, 3), 1), F.softmax(torch.randn(2, 3), 1)
    ),
    nn.HuberLoss()(mu, s),
    nn.SoftMarginLoss()(mu, torch.sign(mu)),
    nn.HingeEmbeddingLoss()(mu, torch.sign(mu)),
    nn.NLLLoss(weight=torch.tensor([1.0, 2.0]), reduction="none")(
        F.log_softmax(torch.randn(2, 2), 1), torch.tensor([0, 1])
    ),
)
logp = -0.5 * ((mu - s) ** 2 / s**2) - torch.log(s) - 0.5 * math.log(2 * math.pi)
print(torch.logsumexp(logp, 0), torch.distributions.Normal(s, s).log_prob(mu).sum())
# focal, dice, IoU
pr = torch.sigmoid(torch.randn(2, 4))
tg = (torch.rand(2, 4) > 0.5).float()
print(
    1 - (2 * (pr * tg).sum() + 1) / (pr.sum() + tg.sum() + 1),
    (-((1 - pr) ** 2) * tg * pr.log()).mean(),
    ((pr > 0.5) & tg.bool()).sum() / ((pr > 0.5) | tg.bool()).sum(),
)
# style: optimise the input
img = torch.rand(1, 1, 6, 6, requires_grad=True)
opt = torch.optim.Adam([img], lr=0.05)
vgg = nn.Sequential(nn.Conv2d(1, 3, 3), nn.ReLU()).requires_grad_(False)
target = vgg(torch.rand(1, 1, 6, 6)).detach()


def gram(x):
    b, c, h, w = x.size()
    f = x.view(b * c, h * w)
    return torch.mm(f, f.t()).div(b * c * h * w)


for i in range(4):
    opt.zero_grad()
    l = F.mse_loss(gram(vgg(img)), gram(target)) * 1e3 + F.l1_loss(vgg(img), target)
    l.backward()
    opt.step()
    img.data.clamp_(0, 1)
    print(f"{l:.4f}")
# FGSM
x = torch.rand(2, 3, 8, 8)
x.requires_grad = True
net.eval()
l = F.cross_entropy(net(x), torch.tensor([1, 2]))
net.zero_grad()
l.backward()
adv = torch.clamp(x + 0.1 * x.grad.sign(), 0, 1)
print((adv - x).abs().max(), x.grad.data.abs().mean())
# k-means & pca & gram-schmidt
