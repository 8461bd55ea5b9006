"""A main guard, workers that are spawned, and a subprocess of its own."""

import multiprocessing
import subprocess
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Squares(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        x = torch.tensor([index / 8.0])
        return x, x * x


def square(x):
    return x * x


def main():
    torch.manual_seed(0)
    loader = DataLoader(
        Squares(),
        batch_size=4,
        num_workers=1,
        multiprocessing_context="spawn",
        persistent_workers=True,
    )
    model = nn.Linear(1, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(2):
        for x, y in loader:
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(x), y)
            loss.backward()
            optimizer.step()
        print(epoch, loss.item())
    with multiprocessing.get_context("fork").Pool(1) as pool:
        print(pool.map(square, [1, 2, 3]))
    print(
        subprocess.run(
            [sys.executable, "-c", "import sys; print(len(sys.argv))"],
            capture_output=True,
            text=True,
        ).stdout
    )


if __name__ == "__main__":
    main()
