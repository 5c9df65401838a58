// Relations between points of a plane, and what they mix: RelationalCrossAttention with one head.
// A relation is a bilinear form F, 3 by 3: the score of i and j is (x_i, y_i, 1) F (x_j, y_j, 1).

// Strict: a form without biases, and no relation of an object to itself (v3, footnote 2).
function relationsOf(form, points, activation, strict) {
  const padded = points.map(([x, y]) => [x, y, strict ? 0 : 1]);
  return padded.map((query, i) => {
    const seen = [0, 1, 2].map((b) => query.reduce((sum, part, a) => sum + part * form[a][b], 0));
    const scores = padded.map((key) => seen.reduce((sum, part, b) => sum + part * key[b], 0));
    const kept = (j) => !strict || i !== j;
    if (activation === "sigmoid")
      return scores.map((s, j) => (kept(j) ? 1 / (1 + Math.exp(-s)) : 0));
    const top = Math.max(...scores.filter((_, j) => kept(j)));
    const powers = scores.map((s, j) => (kept(j) ? Math.exp(s - top) : 0));
    const whole = powers.reduce((sum, part) => sum + part, 0);
    return powers.map((part) => part / whole);
  });
}

// A_i = sum_j R_ij v_j: the values are the objects in self-attention, and symbols in relational
// cross-attention.
function mixed(relations, values) {
  return relations.map((row) =>
    [0, 1].map((k) => row.reduce((sum, weight, j) => sum + weight * values[j][k], 0)),
  );
}

// The largest difference between two lists of lists of numbers.
function apart(before, after) {
  return Math.max(...before.flat().map((one, k) => Math.abs(one - after.flat()[k])));
}

// The point that lies a distance further along a direction, or back along it if that is outside the
// square in which points may lie.
function shifted([x, y], [right, up], distance, edge) {
  const to = (way) => [x + way * distance * right, y + way * distance * up];
  const [far, back] = [to(1), to(-1)];
  return far.some((part) => Math.abs(part) > edge) ? back : far;
}
