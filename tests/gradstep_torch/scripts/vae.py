import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(42)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class VAE(nn.Module):
    def __init__(self, input_dim=16, hidden_dim=24, latent_dim=3):
        super(VAE, self).__init__()
        self.fc1 = nn.Linear(input_dim, hidden_dim)
        self.fc_mu = nn.Linear(hidden_dim, latent_dim)
        self.fc_logvar = nn.Linear(hidden_dim, latent_dim)
        self.fc3 = nn.Linear(latent_dim, hidden_dim)
        self.fc4 = nn.Linear(hidden_dim, input_dim)

    def encode(self, x):
        h = F.relu(self.fc1(x))
        return self.fc_mu(h), self.fc_logvar(h)

    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        eps = torch.randn_like(std)
        return mu + eps * std

    def decode(self, z):
        h = F.relu(self.fc3(z))
        return torch.sigmoid(self.fc4(h))

    def forward(self, x):
        mu, logvar = self.encode(x.view(-1, 16))
        z = self.reparameterize(mu, logvar)
        return self.decode(z), mu, logvar


def loss_function(recon_x, x, mu, logvar):
    BCE = F.binary_cross_entropy(recon_x, x.view(-1, 16), reduction="sum")
    KLD = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return BCE + KLD


images = (torch.rand(96, 1, 4, 4) > 0.6).float()
loader = DataLoader(TensorDataset(images, torch.zeros(96)), batch_size=32, shuffle=True)
model = VAE().to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
print(model)
for epoch in range(1, 6):
    model.train()
    train_loss = 0
    for batch_idx, (data, _) in enumerate(loader):
        data = data.to(device)
        optimizer.zero_grad()
        recon_batch, mu, logvar = model(data)
        loss = loss_function(recon_batch, data, mu, logvar)
        loss.backward()
        train_loss += loss.item()
        optimizer.step()
    print(f"====> Epoch: {epoch} Average loss: {train_loss / len(loader.dataset):.4f}")
with torch.no_grad():
    model.eval()
    sample = model.decode(torch.randn(4, 3).to(device)).cpu()
    print(sample.view(4, 1, 4, 4)[0])
    posterior = torch.distributions.Normal(
        *[f(torch.tensor([[0.5, -0.5]])) for f in (lambda t: t, torch.exp)]
    )
    prior = torch.distributions.Normal(torch.zeros(1, 2), torch.ones(1, 2))
    print(torch.distributions.kl_divergence(posterior, prior))
    print(posterior.log_prob(torch.zeros(1, 2)), posterior.entropy())
