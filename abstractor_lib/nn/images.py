"""Embedding of small images by convolutions.

Shapes: ``b`` batch, ``c`` channels, ``d`` features of the embedding.
"""

from typing import Literal

from torch import Tensor, nn

from .arguments import Device, DType, check_dtype, check_sizes, check_word

ACTIVATIONS = {"relu": nn.ReLU, "tanh": nn.Tanh}


class ImageEmbedder(nn.Sequential):
    """Two convolutions of 5 x 5 with pooling of 4 x 4, then two dense layers.

    Args:
        channels: of an image.
        height, width: of an image, in pixels.
        dim: features ``d`` of the embedding.
        filters: of each convolution.
        hidden: units of the first dense layer.
        activation: of the embedding, ``relu`` or ``tanh``; the other layers have relu.
        device, dtype: of the parameters.

    Returns:
        ``forward(images)``: ``(..., c, height, width) -> (..., d)``.

    Raises:
        ValueError: for sizes below one, images too small for the pooling, an unknown activation,
            or images of another size or dtype.

    Source: v3 B.1.2, the common embedder.

    Example:
        >>> import torch
        >>> ImageEmbedder(3, 50, 70, dim=64)(torch.zeros(2, 3, 50, 70)).shape
        torch.Size([2, 64])
    """

    def __init__(
        self,
        channels: int,
        height: int,
        width: int,
        *,
        dim: int,
        filters: int = 32,
        hidden: int = 64,
        activation: Literal["relu", "tanh"] = "relu",
        device: Device = None,
        dtype: DType = None,
    ):
        check_sizes(channels=channels, height=height, width=width)
        check_sizes(dim=dim, filters=filters, hidden=hidden)
        check_word("activation", activation, ACTIVATIONS)
        left = [((size - 4) // 4 - 4) // 4 for size in (height, width)]
        if min(left) < 1:
            raise ValueError(
                f"height is {height} and width is {width}; expected at least 36 pixels each"
            )
        where = {"device": device, "dtype": dtype}
        super().__init__(
            nn.Conv2d(channels, filters, 5, **where),
            nn.ReLU(),
            nn.MaxPool2d(4),
            nn.Conv2d(filters, filters, 5, **where),
            nn.ReLU(),
            nn.MaxPool2d(4),
            nn.Flatten(-3),
            nn.Linear(filters * left[0] * left[1], hidden, **where),
            nn.ReLU(),
            nn.Linear(hidden, dim, **where),
            ACTIVATIONS[activation](),
        )
        self.size = (channels, height, width)

    def forward(self, images: Tensor) -> Tensor:
        if images.shape[-3:] != self.size:
            sizes = ", ".join(map(str, self.size))
            raise ValueError(f"images has shape {tuple(images.shape)}; expected (..., {sizes})")
        check_dtype("images", images, self[0].weight)
        batch = images.shape[:-3]
        found = super().forward(images.reshape(-1, *self.size))  # (B, d)
        return found.reshape(*batch, found.shape[-1])
