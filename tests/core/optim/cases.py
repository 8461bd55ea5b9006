"""Options under which every algorithm is tested."""

CASES = [
    ("SGD", {}),
    ("SGD", {"lr": 0.1, "weight_decay": 0.1}),
    ("SGD", {"lr": 0.05, "momentum": 0.9}),
    ("SGD", {"lr": 0.05, "momentum": 0.9, "dampening": 0.3, "maximize": True}),
    ("SGD", {"lr": 0.05, "momentum": 0.9, "nesterov": True, "weight_decay": 0.1}),
    ("Adam", {}),
    ("Adam", {"lr": 0.01, "betas": (0.5, 0.9), "amsgrad": True, "weight_decay": 0.1}),
    ("Adam", {"lr": 0.01, "decoupled_weight_decay": True, "weight_decay": 0.1}),
    ("AdamW", {"lr": 0.01}),
    ("AdamW", {"lr": 0.01, "amsgrad": True, "maximize": True}),
    ("RMSprop", {}),
    ("RMSprop", {"momentum": 0.9, "centered": True, "weight_decay": 0.1}),
    ("RMSprop", {"centered": True, "maximize": True, "alpha": 0.9}),
    ("Adagrad", {}),
    (
        "Adagrad",
        {"lr_decay": 0.1, "weight_decay": 0.1, "initial_accumulator_value": 0.5, "maximize": True},
    ),
    ("Adamax", {}),
    ("Adamax", {"lr": 0.01, "weight_decay": 0.1, "maximize": True}),
    ("NAdam", {}),
    ("NAdam", {"weight_decay": 0.1, "decoupled_weight_decay": True, "maximize": True}),
    ("NAdam", {"weight_decay": 0.1, "momentum_decay": 0.01}),
    ("RAdam", {}),
    ("RAdam", {"betas": (0.8, 0.95), "weight_decay": 0.1, "maximize": True}),
    ("RAdam", {"weight_decay": 0.1, "decoupled_weight_decay": True}),
    ("Adadelta", {}),
    ("Adadelta", {"lr": 0.5, "rho": 0.8, "weight_decay": 0.1, "maximize": True}),
    ("Rprop", {}),
    ("Rprop", {"etas": (0.4, 1.5), "step_sizes": (1e-3, 0.5), "maximize": True}),
    ("ASGD", {}),
    ("ASGD", {"lambd": 0.01, "t0": 5, "alpha": 0.5, "weight_decay": 0.1, "maximize": True}),
    ("Adafactor", {}),
    ("Adafactor", {"lr": 0.1, "eps": (1e-8, 0.1), "d": 2.0, "weight_decay": 0.1, "maximize": True}),
]

# Muon takes matrices alone, and L-BFGS a closure.
WHOLE_CASES = [
    ("Muon", {}),
    ("Muon", {"lr": 0.1, "nesterov": False, "adjust_lr_fn": "match_rms_adamw"}),
    ("LBFGS", {"lr": 0.1, "max_iter": 4}),
    ("LBFGS", {"max_iter": 3, "line_search_fn": "strong_wolfe", "history_size": 2}),
    ("LBFGS", {"lr": 0.5, "max_iter": 12, "history_size": 3, "max_eval": 7}),
    ("LBFGS", {"lr": 30.0, "line_search_fn": "strong_wolfe"}),
    ("LBFGS", {"lr": 1e-3, "max_iter": 4, "max_eval": 30, "line_search_fn": "strong_wolfe"}),
    ("LBFGS", {"lr": 3.0, "max_eval": 4, "line_search_fn": "strong_wolfe"}),
    ("LBFGS", {"max_iter": 8, "tolerance_change": 0.1, "lr": 0.2}),
    ("LBFGS", {"max_iter": 8, "tolerance_grad": 0.2, "lr": 0.2}),
]

SPARSE_CASES = [{}, {"lr": 0.05, "betas": (0.5, 0.9), "eps": 1e-3}, {"lr": 0.1, "maximize": True}]
"""Options of SparseAdam."""
