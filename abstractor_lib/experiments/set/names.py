"""What figures and tables call the models of SET classification."""

LABELS = {
    "abstractor": "Abstractor",
    "corelnet": "CoRelNet",
    "corelnet_no_softmax": "CoRelNet, no softmax",
    "transformer": "Transformer",
    "mlp": "MLP",
    "mlp_wide": "wide MLP",
    "predinet": "PrediNet",
    "abstractor_relations_1": "Abstractor, 1 relation",
    "abstractor_relations_2": "Abstractor, 2 relations",
    "abstractor_relations_8": "Abstractor, 8 relations",
    "abstractor_one_wide": "Abstractor, 1 wide relation",
    "abstractor_asymmetric": "Abstractor, asymmetric",
    "abstractor_softmax": "Abstractor, softmax",
    "corelnet_multihead": "CoRelNet, no softmax, 4 heads",
    "corelnet_deep": "CoRelNet, no softmax, hidden layer",
    "corelnet_multihead_deep": "CoRelNet, no softmax, 4 heads, hidden layer",
}


def labels(*models: str) -> dict[str, str]:
    """The labels of some models, in that order.

    Example:
        >>> labels("mlp", "abstractor")
        {'mlp': 'MLP', 'abstractor': 'Abstractor'}
    """
    return {name: LABELS[name] for name in models}
