"""The element types under torch's names; some shadow builtins, so the module holds nothing else."""

from gradstep.autograd.dtypes import dtype

__all__ = [
    "bool",
    "double",
    "float",
    "float16",
    "float32",
    "float64",
    "half",
    "int",
    "int8",
    "int16",
    "int32",
    "int64",
    "long",
    "short",
    "uint8",
]

bool = dtype("bool")
uint8 = dtype("uint8")
int8 = dtype("int8")
int16 = short = dtype("int16")
int32 = int = dtype("int32")
int64 = long = dtype("int64")
float16 = half = dtype("float16")
float32 = float = dtype("float32")
float64 = double = dtype("float64")
