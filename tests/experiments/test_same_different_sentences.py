"""Sentences on relations of pairs that take more than the tables of trials."""

from abstractor_lib.experiments.same_different import sentences


def test_a_sigmoid_that_is_not_saturated_is_told():
    large = {"described": 5000.0, "published": 6.0, "sound": 8.0}
    assert sentences.not_learned_as_described({}, large).because[-1]
    for half in ({**large, "described": 700.0}, {**large, "sound": 300.0}):
        assert not all(sentences.not_learned_as_described({}, half).because)
    assert not all(sentences.not_learned_as_described({}, half={}).because)
