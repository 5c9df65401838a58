"""How well curves can be extrapolated: the best predictions, and simpler ones, without training.

A curve is observed at x = 1, ..., N with independent noise of a known standard deviation. What is
predicted are the values, with noise, at x = N + 1, ..., N + T. Shapes: ``n`` curves, ``N`` observed
values each, ``T`` values to predict.

- `bayes`: the best predictions of lines and sinusoids under uniform noise, by integration.
- `truncated`: the best prediction of a Gaussian process under uniform noise, by sampling.
- `gaussian`: Gaussian processes in closed form, with a known or an unknown level.
- `families`: least squares for lines and sinusoids.
- `mixture`: several Gaussian processes, where it is not known which one a curve is from.
- `autoregression`: each value as a linear function of a few before it, fitted to each curve.
"""
