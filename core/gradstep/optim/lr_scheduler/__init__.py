"""Learning-rate schedulers, as in torch.optim.lr_scheduler."""
