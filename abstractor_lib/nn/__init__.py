"""Model code: plain torch modules, no input or output, no training.

All modules are batch first; in a mask True means "ignore".
"""

from .abstractor import Abstractor, AbstractorLayer
from .attention import MultiHeadAttention, RelationalCrossAttention
from .corelnet import CoRelNet, PlainRelation
from .feedforward import MLP, FeedForward
from .initialise import initialise
from .linear import HeadLinear, HeadsToOutput
from .message_passing import SymbolicMessagePassing, symbolic_message_passing
from .predinet import PrediNet
from .relations import (
    InnerProductRelation,
    MultiHeadRelation,
    activate,
    inner_product_relations,
)
from .symbols import LearnedSymbols
from .transformer import EncoderLayer

__all__ = [
    "MLP",
    "Abstractor",
    "AbstractorLayer",
    "CoRelNet",
    "EncoderLayer",
    "FeedForward",
    "HeadLinear",
    "HeadsToOutput",
    "InnerProductRelation",
    "LearnedSymbols",
    "MultiHeadAttention",
    "MultiHeadRelation",
    "PlainRelation",
    "PrediNet",
    "RelationalCrossAttention",
    "SymbolicMessagePassing",
    "activate",
    "initialise",
    "inner_product_relations",
    "symbolic_message_passing",
]
