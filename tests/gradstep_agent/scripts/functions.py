import argparse
import torch
import torch.nn.functional as F


class Net(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.fc1 = torch.nn.Linear(4, width)
        self.fc2 = torch.nn.Linear(width, 1)

    def forward(self, x):
        return self.fc2(torch.tanh(self.fc1(x)))


def train(model, optimizer, x, y, epoch):
    model.train()
    for start in range(0, len(x), 8):
        optimizer.zero_grad()
        loss = F.mse_loss(model(x[start : start + 8]), y[start : start + 8])
        loss.backward()
        optimizer.step()
    return loss


def evaluate(model, x, y):
    model.eval()
    with torch.no_grad():
        return F.mse_loss(model(x), y).item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--width", type=int, default=5)
    args = parser.parse_args()
    torch.manual_seed(2)
    x = torch.randn(24, 4)
    y = x[:, :1] * 2
    model = Net(args.width)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    for epoch in range(1, args.epochs + 1):
        loss = train(model, optimizer, x, y, epoch)
        print(epoch, loss.item(), evaluate(model, x, y))


if __name__ == "__main__":
    main()
