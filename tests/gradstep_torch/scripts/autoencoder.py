import torch
from torch import nn, optim
from torch.nn import functional as F

torch.manual_seed(1)


class VAE(nn.Module):
    def __init__(self):
        super(VAE, self).__init__()
        self.fc1 = nn.Linear(20, 16)
        self.fc21 = nn.Linear(16, 3)
        self.fc22 = nn.Linear(16, 3)
        self.fc3 = nn.Linear(3, 16)
        self.fc4 = nn.Linear(16, 20)

    def encode(self, x):
        h1 = F.relu(self.fc1(x))
        return self.fc21(h1), self.fc22(h1)

    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        eps = torch.randn_like(std)
        return mu + eps * std

    def decode(self, z):
        h3 = F.relu(self.fc3(z))
        return torch.sigmoid(self.fc4(h3))

    def forward(self, x):
        mu, logvar = self.encode(x.view(-1, 20))
        z = self.reparameterize(mu, logvar)
        return self.decode(z), mu, logvar


model = VAE()
optimizer = optim.Adam(model.parameters(), lr=1e-3)


def loss_function(recon_x, x, mu, logvar):
    BCE = F.binary_cross_entropy(recon_x, x.view(-1, 20), reduction="sum")
    KLD = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return BCE + KLD


data = torch.rand(100, 1, 4, 5)
loader = torch.utils.data.DataLoader([(d, 0) for d in data], batch_size=32, shuffle=True)
for epoch in range(3):
    model.train()
    train_loss = 0
    for batch_idx, (x, _) in enumerate(loader):
        optimizer.zero_grad()
        recon, mu, logvar = model(x)
        loss = loss_function(recon, x, mu, logvar)
        loss.backward()
        train_loss += loss.item()
        optimizer.step()
    print("====> Epoch: {} Average loss: {:.4f}".format(epoch, train_loss / len(loader.dataset)), _)
with torch.no_grad():
    sample = model.decode(torch.randn(4, 3))
    print(sample.view(4, 1, 4, 5)[0])
from torch.distributions import Normal, kl_divergence

q = Normal(mu, torch.exp(0.5 * logvar))
p = Normal(torch.zeros_like(mu), torch.ones_like(mu))
print(kl_divergence(q, p).sum(-1).mean(), q.rsample().shape, q)
print(p.log_prob(mu).sum(), p.entropy()[0], q.mean.shape, q.stddev.shape)
