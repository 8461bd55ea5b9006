import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


class FocalLoss(nn.Module):
    def __init__(self, alpha=1, gamma=2, reduction="mean"):
        super(FocalLoss, self).__init__()
        self.alpha, self.gamma, self.reduction = alpha, gamma, reduction

    def forward(self, inputs, targets):
        ce_loss = F.cross_entropy(inputs, targets, reduction="none")
        pt = torch.exp(-ce_loss)
        focal = self.alpha * (1 - pt) ** self.gamma * ce_loss
        if self.reduction == "mean":
            return torch.mean(focal)
        return focal.sum() if self.reduction == "sum" else focal


class LabelSmoothingCrossEntropy(nn.Module):
    def __init__(self, eps=0.1):
        super().__init__()
        self.eps = eps

    def forward(self, output, target):
        c = output.size()[-1]
        log_preds = F.log_softmax(output, dim=-1)
        loss = -log_preds.sum(dim=-1).mean()
        return loss * self.eps / c + (1 - self.eps) * F.nll_loss(log_preds, target)


class SigmoidFocal(nn.Module):
    def forward(self, logits, targets):
        bce = F.binary_cross_entropy_with_logits(logits, targets, reduction="none")
        p = torch.sigmoid(logits)
        p_t = p * targets + (1 - p) * (1 - targets)
        a_t = torch.where(targets == 1, torch.tensor(0.25), torch.tensor(0.75))
        return (a_t * (1 - p_t).pow(2) * bce).mean()


class RMSLELoss(nn.Module):
    def __init__(self):
        super().__init__()
        self.mse = nn.MSELoss()

    def forward(self, pred, actual):
        return torch.sqrt(self.mse(torch.log(pred + 1), torch.log(actual + 1)))


logits = torch.randn(5, 4, requires_grad=True)
target = torch.tensor([0, 3, 1, 1, 2])
for loss in (
    FocalLoss()(logits, target),
    LabelSmoothingCrossEntropy()(logits, target),
    nn.CrossEntropyLoss(label_smoothing=0.1)(logits, target),
    nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0, 0.5, 1.0]))(logits, target),
    nn.CrossEntropyLoss(ignore_index=1, reduction="sum")(logits, target),
    F.cross_entropy(logits, F.one_hot(target, 4).float() * 0.9 + 0.025),
    F.kl_div(F.log_softmax(logits / 2, 1), F.softmax(torch.randn(5, 4), 1), reduction="batchmean")
    * 4,
    F.nll_loss(F.log_softmax(logits, 1), target),
):
    logits.grad = None
    loss.backward()
    print(f"{loss.item():.6f}", logits.grad[0])
binary = torch.randn(6, requires_grad=True)
t = torch.tensor([1.0, 0, 1, 1, 0, 0])
for loss in (
    SigmoidFocal()(binary, t),
    nn.BCEWithLogitsLoss(pos_weight=torch.tensor(3.0))(binary, t),
    nn.BCELoss()(torch.sigmoid(binary), t),
    nn.SoftMarginLoss()(binary, 2 * t - 1),
    nn.HuberLoss(delta=0.5)(binary, t),
    nn.SmoothL1Loss(beta=0.5)(binary, t),
    nn.L1Loss()(binary, t),
    nn.GaussianNLLLoss()(binary, t, torch.ones(6) * 0.5),
    nn.PoissonNLLLoss()(binary, t),
    torch.log(torch.cosh(binary - t)).mean(),
    RMSLELoss()(binary.abs(), t),
    torch.max((binary - t) * 0.9, (binary - t) * -0.1).mean(),
):
    binary.grad = None
    loss.backward()
    print(f"{loss.item():.6f}", binary.grad[:3])
multi = torch.randn(2, 3)

print(F.mse_loss(torch.ones(2, 2), torch.zeros(2, 2), reduction="none").mean(1))
print(
    nn.MSELoss(reduction="sum"),
    nn.CrossEntropyLoss(),
    nn.CrossEntropyLoss(weight=torch.ones(2)).weight,
)
# the confusions: softmax twice, the target's shape, batches averaged unequally
p = torch.tensor([[4.0, 0.0, 0.0]])
print(F.cross_entropy(p, torch.tensor([0])), F.cross_entropy(F.softmax(p, 1), torch.tensor([0])))
batches = [torch.ones(4), torch.ones(1) * 6]
print(sum(b.mean() for b in batches) / 2, torch.cat(batches).mean())
print((torch.ones(4, 1) - torch.ones(4)).shape)
l1 = sum(q.abs().sum() for q in nn.Linear(2, 1).parameters())
print(l1.requires_grad)
labels = torch.tensor([[0.0, 1.0, 0.0]])
print(F.cross_entropy(p, labels), F.cross_entropy(p, labels.argmax(1)))
seg = torch.randn(2, 3, 2, 2)
print(
    F.cross_entropy(seg, torch.randint(0, 3, (2, 2, 2))),
    F.cross_entropy(seg, torch.full((2, 2, 2), 255), ignore_index=255),
)
