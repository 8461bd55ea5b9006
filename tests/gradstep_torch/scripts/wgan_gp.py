import torch
import torch.autograd as autograd
import torch.nn as nn

torch.manual_seed(0)
LAMBDA, n_critic = 10, 2
netG = nn.Sequential(nn.Linear(2, 16), nn.ReLU(True), nn.Linear(16, 2))
netD = nn.Sequential(nn.Linear(2, 16), nn.Softplus(), nn.Linear(16, 1))


def weights_init(m):
    if isinstance(m, nn.Linear):
        nn.init.xavier_uniform_(m.weight)
        m.bias.data.fill_(0)


netG.apply(weights_init)
netD.apply(weights_init)
optimizerD = torch.optim.Adam(netD.parameters(), lr=1e-2, betas=(0.0, 0.9))
optimizerG = torch.optim.Adam(netG.parameters(), lr=1e-2, betas=(0.0, 0.9))


def calc_gradient_penalty(netD, real_data, fake_data):
    alpha = torch.rand(real_data.size(0), 1).expand(real_data.size())
    interpolates = alpha * real_data + ((1 - alpha) * fake_data)
    interpolates = autograd.Variable(interpolates, requires_grad=True)
    disc_interpolates = netD(interpolates)
    gradients = autograd.grad(
        outputs=disc_interpolates,
        inputs=interpolates,
        grad_outputs=torch.ones(disc_interpolates.size()),
        create_graph=True,
        retain_graph=True,
        only_inputs=True,
    )[0]
    return ((gradients.norm(2, dim=1) - 1) ** 2).mean() * LAMBDA


one = torch.tensor(1, dtype=torch.float)
mone = one * -1
for iteration in range(8):
    for p in netD.parameters():
        p.requires_grad = True
    for _ in range(n_critic):
        real = torch.randn(16, 2) * 0.2 + torch.tensor([1.0, 0.5])
        netD.zero_grad()
        D_real = netD(real).mean()
        D_real.backward(mone)
        with torch.no_grad():
            noise = torch.randn(16, 2)
        fake = netG(noise).detach()
        D_fake = netD(fake).mean()
        D_fake.backward(one)
        gradient_penalty = calc_gradient_penalty(netD, real.data, fake.data)
        gradient_penalty.backward()
        D_cost = D_fake - D_real + gradient_penalty
        optimizerD.step()
    for p in netD.parameters():
        p.requires_grad = False
    netG.zero_grad()
    G = netD(netG(torch.randn(16, 2))).mean()
    G.backward(mone)
    optimizerG.step()
    print(f"{iteration} D {D_cost.item():.4f} GP {gradient_penalty.item():.4f} G {-G.item():.4f}")
# without create_graph the penalty cannot be learned
x = torch.ones(3, 2, requires_grad=True)
for p in netD.parameters():
    p.requires_grad = True
(g,) = autograd.grad(netD(x).sum(), x)
penalty = (g.norm() - 1) ** 2
print(penalty.requires_grad)
try:
    penalty.backward()
except RuntimeError as e:
    print(str(e)[:70])
(g,) = autograd.grad(netD(x).sum(), x, create_graph=True)
print(g.requires_grad, g.grad_fn is not None)
# R1, weight clipping, spectral norm of a layer, a Jacobian and a Hessian-vector product
r1 = g.pow(2).view(3, -1).sum(1).mean()
r1.backward()
print(r1, netD[0].weight.grad[0])
for p in netD.parameters():
    p.data.clamp_(-0.1, 0.1)
print(max(p.abs().max().item() for p in netD.parameters()))
w = torch.tensor([1.0, 2.0], requires_grad=True)
f = (w[0] ** 2 * w[1]).sin()
(g,) = autograd.grad(f, w, create_graph=True)
v = torch.tensor([0.5, -1.0])
(hv,) = autograd.grad(g @ v, w)
print(g, hv)
print(autograd.functional.hvp(lambda w: (w[0] ** 2 * w[1]).sin(), w.detach(), v)[1])
print(
    autograd.functional.vjp(lambda w: w**2, w.detach(), v)[1],
    autograd.functional.jvp(lambda w: w**3, w.detach(), v)[1],
)
