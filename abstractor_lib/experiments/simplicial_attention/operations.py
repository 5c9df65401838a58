"""Counting operations of a torch function, without computing it."""

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

PRODUCTS = ("mm", "bmm")  # matrix products: a multiplication and an addition for each of m k n
COPIES = ("clone", "copy", "copy_", "_to_copy")


class Operations(TorchDispatchMode):
    """Counts operations while it is on: multiply-adds of matrix products, and one for each number
    that anything elementwise makes or a sum or softmax reads. Views and copies are free.

    Example:
        >>> with Operations() as operations:
        ...     _ = torch.zeros(2, 3, device="meta") @ torch.zeros(3, 5, device="meta") + 1
        >>> operations.count  # 2 3 5 + 2 5
        40
    """

    def __init__(self):
        super().__init__()
        self.count = 0

    def __torch_dispatch__(self, func, types, args: tuple = (), kwargs=None):
        found = func(*args, **(kwargs or {}))
        name = func.overloadpacket.__name__
        made = sum(one.numel() for one in tree_leaves(found) if isinstance(one, torch.Tensor))
        if name in PRODUCTS:
            self.count += made * args[0].shape[-1]
        elif torch.Tag.pointwise in func.tags and name not in COPIES:
            self.count += made
        elif name in ("sum", "_softmax"):
            self.count += args[0].numel()
        return found
