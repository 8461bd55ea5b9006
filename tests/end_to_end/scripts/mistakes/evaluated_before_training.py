import torch
from torch import nn

torch.manual_seed(0)
data = torch.randint(0, 32, (2000,))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(32, 16)
        self.drop = nn.Dropout(0.2)
        self.head = nn.Linear(16, 32)

    def forward(self, idx, targets=None):
        logits = self.head(self.drop(self.emb(idx)))
        loss = None
        if targets is not None:
            loss = nn.functional.cross_entropy(logits.view(-1, 32), targets.view(-1))
        return logits, loss


def get_batch(split):
    ix = torch.randint(len(data) - 9, (8,))
    x = torch.stack([data[i : i + 8] for i in ix])
    y = torch.stack([data[i + 1 : i + 9] for i in ix])
    return x, y


model = Block()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)


@torch.no_grad()
def estimate_loss():
    out = {}
    model.eval()
    for split in ["train", "val"]:
        losses = torch.zeros(4)
        for k in range(4):
            X, Y = get_batch(split)
            logits, loss = model(X, Y)
            losses[k] = loss.item()
        out[split] = losses.mean()
    return out


for it in range(60):
    if it % 20 == 0:
        losses = estimate_loss()
        print(f"step {it}: train {losses['train']:.4f}, val {losses['val']:.4f}")
    xb, yb = get_batch("train")
    logits, loss = model(xb, yb)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
