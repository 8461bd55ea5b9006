import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(5)


def block(i, o):
    return nn.Sequential(
        nn.Conv2d(i, o, kernel_size=3, padding=1, bias=False),
        nn.BatchNorm2d(o),
        nn.ReLU(inplace=True),
    )


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down1, self.down2 = block(1, 4), block(4, 8)
        self.pool = nn.MaxPool2d(2)
        self.middle = block(8, 8)
        self.up2 = nn.ConvTranspose2d(8, 8, 2, stride=2)
        self.dec2 = block(16, 4)
        self.up1 = nn.Upsample(scale_factor=2, mode="nearest")
        self.dec1 = block(8, 4)
        self.out = nn.Conv2d(4, 1, 1)
        self._init()

    def _init(self):
        for m in self.modules():
            if isinstance(m, (nn.Conv2d, nn.ConvTranspose2d)):
                nn.init.kaiming_normal_(m.weight, mode="fan_out", nonlinearity="relu")
                if m.bias is not None:
                    nn.init.zeros_(m.bias)

    def forward(self, x):
        d1 = self.down1(x)
        d2 = self.down2(self.pool(d1))
        m = self.middle(self.pool(d2))
        u2 = self.dec2(torch.cat([self.up2(m), d2], dim=1))
        u1 = self.dec1(torch.cat([self.up1(u2), d1], dim=1))
        return self.out(u1)


def dice_loss(logits, target, smooth=1.0):
    p = torch.sigmoid(logits).flatten(1)
    t = target.flatten(1)
    inter = (p * t).sum(1)
    return 1 - ((2.0 * inter + smooth) / (p.sum(1) + t.sum(1) + smooth)).mean()


x = torch.randn(6, 1, 8, 8)
mask = (F.avg_pool2d(x, 3, stride=1, padding=1) > 0).float()
model = UNet()
print(sum(p.numel() for p in model.parameters()))
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=2, factor=0.5)
for epoch in range(6):
    optimizer.zero_grad()
    out = model(x)
    loss = F.binary_cross_entropy_with_logits(out, mask) + dice_loss(out, mask)
    loss.backward()
    optimizer.step()
    scheduler.step(loss)
    print(f"{epoch} {loss.item():.4f} {optimizer.param_groups[0]['lr']}")
model.eval()
with torch.no_grad():
    pred = torch.sigmoid(model(x)) > 0.5
    inter = (pred & mask.bool()).sum((1, 2, 3)).float()
    union = (pred | mask.bool()).sum((1, 2, 3)).float()
    print((inter / union).mean())


class Skip(nn.Module):
    """A denoising autoencoder whose in-place skip breaks backward."""

    def __init__(self, inplace):
        super().__init__()
        self.e, self.d, self.inplace = nn.Linear(6, 6), nn.Linear(6, 6), inplace

    def forward(self, x):
        h = torch.sigmoid(self.e(x))
        if self.inplace:
            h += x
        else:
            h = h + x
        return self.d(h)


for inplace in (False, True):
    net = Skip(inplace)
    try:
        net(torch.ones(2, 6)).sum().backward()
        print("fine", net.e.weight.grad.shape)
    except RuntimeError as e:
        print(str(e)[:91])
up = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=False)
print(up(torch.arange(4.0).view(1, 1, 2, 2)))
print(F.interpolate(torch.arange(3.0).view(1, 1, 3), size=6, mode="linear", align_corners=True))
print(F.pad(torch.ones(1, 1, 2, 2), (1, 0, 0, 1), mode="constant", value=2.0))
