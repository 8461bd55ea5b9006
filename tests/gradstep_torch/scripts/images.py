import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.nn import init
from torch.nn.utils import parametrize, prune
from torch.nn.utils.parametrizations import spectral_norm


class STN(nn.Module):
    def __init__(self):
        super().__init__()
        self.localization = nn.Sequential(
            nn.Conv2d(1, 4, 3), nn.MaxPool2d(2, stride=2), nn.ReLU(True), nn.AdaptiveMaxPool2d(2)
        )
        self.fc_loc = nn.Linear(16, 3 * 2)
        self.fc_loc.weight.data.zero_()
        self.fc_loc.bias.data.copy_(torch.tensor([1, 0, 0, 0, 1, 0], dtype=torch.float))
        self.classify = nn.LazyLinear(3)

    def stn(self, x):
        theta = self.fc_loc(self.localization(x).flatten(1)).view(-1, 2, 3)
        grid = F.affine_grid(theta, x.size(), align_corners=False)
        return F.grid_sample(x, grid, align_corners=False)

    def forward(self, x):
        return F.log_softmax(self.classify(self.stn(x).flatten(1)), dim=1)


torch.manual_seed(0)
x, y = torch.rand(6, 1, 8, 8), torch.tensor([0, 1, 2, 0, 1, 2])
model = STN()
model(x)
optimizer = optim.SGD(model.parameters(), lr=0.1)
for step in range(5):
    optimizer.zero_grad()
    loss = F.nll_loss(model(x), y)
    loss.backward()
    optimizer.step()
    print(step, f"{loss.item():.4f}")
print(model.fc_loc.bias.data)


class SuperResolutionNet(nn.Module):
    def __init__(self, upscale_factor):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 5, padding=2)
        self.conv2 = nn.Conv2d(8, upscale_factor**2, 3, padding=1)
        self.pixel_shuffle = nn.PixelShuffle(upscale_factor)
        init.orthogonal_(self.conv1.weight, init.calculate_gain("relu"))
        init.trunc_normal_(self.conv2.weight, std=0.02)

    def forward(self, x):
        return self.pixel_shuffle(self.conv2(F.relu(self.conv1(x))))


net = SuperResolutionNet(3)
small = F.interpolate(x, scale_factor=0.5, mode="bilinear", align_corners=False)
big = F.interpolate(small, size=(12, 12), mode="bicubic", align_corners=True)
print(net(small).shape, F.mse_loss(net(small), big))

discriminator = nn.Sequential(
    spectral_norm(nn.Conv2d(1, 4, 3)),
    nn.InstanceNorm2d(4, affine=True),
    nn.LeakyReLU(0.2),
    nn.ReflectionPad2d(1),
    nn.Flatten(),
    nn.LazyLinear(1),
)
print(discriminator(x).shape)
print(discriminator[0])
print([name for name, _ in discriminator.named_parameters()])

layer = nn.Linear(4, 4)
prune.l1_unstructured(layer, name="weight", amount=0.5)
print(layer.weight_mask.sum(), list(dict(layer.named_buffers())), prune.is_pruned(layer))
prune.remove(layer, "weight")
print(list(dict(layer.named_parameters())))


class Skew(nn.Module):
    def forward(self, x):
        upper = x.triu(1)
        return upper - upper.transpose(-1, -2)


square = nn.Linear(3, 3)
parametrize.register_parametrization(square, "weight", Skew())
print(square, torch.allclose(square.weight, -square.weight.T))
bag = nn.EmbeddingBag(10, 3, mode="sum")
print(bag(torch.tensor([1, 2, 4, 5, 4, 3]), torch.tensor([0, 4])).shape, bag)
patches = F.unfold(x, kernel_size=4, stride=4)
print(patches.shape, torch.equal(F.fold(patches, (8, 8), 4, stride=4), x))
log_probs = torch.randn(10, 2, 5).log_softmax(2).requires_grad_()
loss = nn.CTCLoss()(log_probs, torch.tensor([[1, 2, 2], [3, 4, 0]]), [10, 8], [3, 2])
loss.backward()
print(f"{loss.item():.4f} {log_probs.grad.abs().sum().item():.4f}")
