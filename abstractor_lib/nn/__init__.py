"""Model code: plain torch modules, no input or output, no training.

All modules are batch first; in a mask True means "ignore". Those with parameters take ``device``
and ``dtype`` as torch's do.
"""

from .abstractor import Abstractor, AbstractorLayer, AbstractorStack
from .adapters import SimplicialAttention, TorchAttention
from .agents import (
    ActorCritic,
    Answer,
    MaximumReadout,
    PictureEntities,
    ScoringReadout,
    TokenEntities,
    relational_transformer,
    simplicial_transformer,
)
from .architectures import ARCHITECTURES, SPOKEN_NAMES, Wiring, sequence_to_sequence
from .attention import MultiHeadAttention
from .classifier import AbstractorClassifier, PooledClassifier
from .corelnet import CoRelNet, PlainRelation
from .decoder import Decoder, DecoderLayer
from .decoding import greedy_decode
from .dual_attention import DualAttention
from .encoder import Encoder, EncoderLayer
from .extrapolation import extrapolate
from .feedforward import MLP, FeedForward
from .function_learning import (
    CurveTransformer,
    Prediction,
    RelationalCurveTransformer,
)
from .gated_attention import GatedLayer, gated_attention
from .heads import Heads
from .images import ImageEmbedder
from .initialise import initialise
from .learned_window import LearnedWindow, window_length
from .linear import HeadLinear, HeadsToOutput
from .memory import RelationalMemory
from .message_passing import (
    RelationalMessagePassing,
    SetMessagePassing,
    SymbolicMessagePassing,
    relative_message_passing,
    symbolic_message_passing,
)
from .one_simplicial_attention import JointProjection, OneSimplicialAttention
from .padded import PaddedTokens
from .pair_relations import PairwiseMLPRelation
from .pairwise import PairwiseAbstractor
from .pointer import PointerDecoder
from .positional_attention import (
    RelativeBiasAttention,
    RotaryAttention,
    relative_buckets,
    rotated,
)
from .positions import AddPositions, sinusoids
from .predinet import PrediNet
from .relation_network import RelationNetwork
from .relational_attention import (
    AblationCrossAttention,
    RelationalCrossAttention,
    SymbolicCrossAttention,
)
from .relations import (
    GivenRelation,
    InnerProductRelation,
    MultiHeadRelation,
    activate,
    inner_product_relations,
)
from .relations_found import relations_of
from .sequence import Embedded, SequenceToSequence
from .similarity import LearnedDifference, SignedDifference
from .simplicial_attention import PairValues, TwoSimplicialAttention
from .simplicial_block import (
    BlockNorms,
    SimplicialBlock,
    SimplicialTransformer,
    SimplicialWeights,
)
from .simplicial_logits import simplicial_logits, unsigned_triple_product
from .symbol_binding import SymbolBindingNetwork
from .symbols import LearnedSymbols, RelativeSymbols, RetrievedSymbols, SinusoidalSymbols
from .temporal_context_norm import TemporalContextNorm

__all__ = [
    "ARCHITECTURES",
    "MLP",
    "SPOKEN_NAMES",
    "AblationCrossAttention",
    "Abstractor",
    "AbstractorClassifier",
    "AbstractorLayer",
    "AbstractorStack",
    "ActorCritic",
    "AddPositions",
    "Answer",
    "BlockNorms",
    "CoRelNet",
    "CurveTransformer",
    "Decoder",
    "DecoderLayer",
    "DualAttention",
    "Embedded",
    "Encoder",
    "EncoderLayer",
    "FeedForward",
    "GatedLayer",
    "GivenRelation",
    "HeadLinear",
    "Heads",
    "HeadsToOutput",
    "ImageEmbedder",
    "InnerProductRelation",
    "JointProjection",
    "LearnedDifference",
    "LearnedSymbols",
    "LearnedWindow",
    "MaximumReadout",
    "MultiHeadAttention",
    "MultiHeadRelation",
    "OneSimplicialAttention",
    "PaddedTokens",
    "PairValues",
    "PairwiseAbstractor",
    "PairwiseMLPRelation",
    "PictureEntities",
    "PlainRelation",
    "PointerDecoder",
    "PooledClassifier",
    "PrediNet",
    "Prediction",
    "RelationNetwork",
    "RelationalCrossAttention",
    "RelationalCurveTransformer",
    "RelationalMemory",
    "RelationalMessagePassing",
    "RelativeBiasAttention",
    "RelativeSymbols",
    "RetrievedSymbols",
    "RotaryAttention",
    "ScoringReadout",
    "SequenceToSequence",
    "SetMessagePassing",
    "SignedDifference",
    "SimplicialAttention",
    "SimplicialBlock",
    "SimplicialTransformer",
    "SimplicialWeights",
    "SinusoidalSymbols",
    "SymbolBindingNetwork",
    "SymbolicCrossAttention",
    "SymbolicMessagePassing",
    "TemporalContextNorm",
    "TokenEntities",
    "TorchAttention",
    "TwoSimplicialAttention",
    "Wiring",
    "activate",
    "extrapolate",
    "gated_attention",
    "greedy_decode",
    "initialise",
    "inner_product_relations",
    "relational_transformer",
    "relations_of",
    "relative_buckets",
    "relative_message_passing",
    "rotated",
    "sequence_to_sequence",
    "simplicial_logits",
    "simplicial_transformer",
    "sinusoids",
    "symbolic_message_passing",
    "unsigned_triple_product",
    "window_length",
]
