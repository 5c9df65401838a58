"""Model code: plain torch modules, no input or output, no training.

All modules are batch first; in a mask True means "ignore".
"""

from .abstractor import Abstractor, AbstractorLayer
from .architectures import ARCHITECTURES, Wiring, sequence_to_sequence
from .attention import (
    AblationCrossAttention,
    MultiHeadAttention,
    RelationalCrossAttention,
    SymbolicCrossAttention,
)
from .classifier import AbstractorClassifier
from .corelnet import CoRelNet, PlainRelation
from .decoding import greedy_decode
from .feedforward import MLP, FeedForward
from .initialise import initialise
from .linear import HeadLinear, HeadsToOutput
from .memory import RelationalMemory
from .message_passing import (
    RelationalMessagePassing,
    SetMessagePassing,
    SymbolicMessagePassing,
    relative_message_passing,
    symbolic_message_passing,
)
from .positions import AddPositions, sinusoids
from .predinet import PrediNet
from .relations import (
    GivenRelation,
    InnerProductRelation,
    MultiHeadRelation,
    activate,
    inner_product_relations,
)
from .sequence import Embedded, SequenceToSequence
from .symbols import LearnedSymbols, RelativeSymbols, RetrievedSymbols, SinusoidalSymbols
from .transformer import Decoder, DecoderLayer, Encoder, EncoderLayer

__all__ = [
    "ARCHITECTURES",
    "MLP",
    "AblationCrossAttention",
    "Abstractor",
    "AbstractorClassifier",
    "AbstractorLayer",
    "AddPositions",
    "CoRelNet",
    "Decoder",
    "DecoderLayer",
    "Embedded",
    "Encoder",
    "EncoderLayer",
    "FeedForward",
    "GivenRelation",
    "HeadLinear",
    "HeadsToOutput",
    "InnerProductRelation",
    "LearnedSymbols",
    "MultiHeadAttention",
    "MultiHeadRelation",
    "PlainRelation",
    "PrediNet",
    "RelationalCrossAttention",
    "RelationalMemory",
    "RelationalMessagePassing",
    "RelativeSymbols",
    "RetrievedSymbols",
    "SequenceToSequence",
    "SetMessagePassing",
    "SinusoidalSymbols",
    "SymbolicCrossAttention",
    "SymbolicMessagePassing",
    "Wiring",
    "activate",
    "greedy_decode",
    "initialise",
    "inner_product_relations",
    "relative_message_passing",
    "sequence_to_sequence",
    "sinusoids",
    "symbolic_message_passing",
]
