import torch, torch.nn as nn

torch.manual_seed(0)


class Layer(nn.Linear):
    def __init__(self, i, o):
        super().__init__(i, o)
        self.opt = torch.optim.Adam(self.parameters(), lr=0.03)
        self.threshold, self.num_epochs = 2.0, 5

    def forward(self, x):
        return torch.relu(
            torch.mm(x / (x.norm(2, 1, keepdim=True) + 1e-4), self.weight.T)
            + self.bias.unsqueeze(0)
        )

    def train(self, x_pos, x_neg):
        for i in range(self.num_epochs):
            g_pos = self.forward(x_pos).pow(2).mean(1)
            g_neg = self.forward(x_neg).pow(2).mean(1)
            loss = torch.log(
                1 + torch.exp(torch.cat([-g_pos + self.threshold, g_neg - self.threshold]))
            ).mean()
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
        return self.forward(x_pos).detach(), self.forward(x_neg).detach()


layers = [Layer(8, 16), Layer(16, 16)]
xp, xn = torch.randn(32, 8), torch.randn(32, 8) + 1
for i, l in enumerate(layers):
    print("training layer", i)
    xp, xn = l.train(xp, xn)
