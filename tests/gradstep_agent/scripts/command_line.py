import argparse

import torch
from torch import nn, optim


def parse():
    parser = argparse.ArgumentParser(description="Fit a line.")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--lr", type=float, default=1e-2, metavar="LR")
    parser.add_argument("-m", "--momentum", type=float, default=0.0)
    parser.add_argument("--no-cuda", action="store_true")
    return parser.parse_args()


def main():
    args = parse()
    print(args)
    torch.manual_seed(1)
    device = torch.device("cuda" if torch.cuda.is_available() and not args.no_cuda else "cpu")
    model = nn.Linear(1, 1).to(device)
    optimizer = optim.SGD(model.parameters(), lr=args.lr, momentum=args.momentum)
    x = torch.linspace(-1, 1, 20, device=device).unsqueeze(1)
    for epoch in range(1, args.epochs + 1):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), 2 * x + 1)
        loss.backward()
        optimizer.step()
        print(f"epoch {epoch}: {loss.item():.6f}")


if __name__ == "__main__":
    main()
