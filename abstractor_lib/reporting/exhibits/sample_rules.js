// What trials say of how many training sequences a model needs; abstractor_lib.findings.sizes.
// A trial is a list of accuracies, one for each training size, null where it was not run.

// The sizes between which a trial reaches a level: below the lower end it did so at no size, from
// the upper end on at all. The lower end is 0 and the upper end infinite beyond the sizes.
function bracketOf(level, sizes, trial) {
  const run = sizes.map((_, k) => k).filter((k) => trial[k] !== null);
  const enough = run.map((k) => trial[k] >= level);
  const first = enough.indexOf(true);
  const before = first < 0 ? run.length : first;
  const low = before ? sizes[run[before - 1]] : 0;
  const after = run[enough.lastIndexOf(false) + 1];
  return [low, after === undefined ? Infinity : sizes[after]];
}

// The bracket in which the size lies that half of the trials need.
function medianBracket(brackets) {
  const middle = Math.floor((brackets.length - 1) / 2);
  const low = brackets.map(([one]) => one).sort((a, b) => a - b);
  const high = brackets.map(([, one]) => one).sort((a, b) => b - a); // equal ones may be infinite
  return [low[middle], high[middle]];
}

// Of the trials at one size: how many, the mean, lowest and highest, how many reach a level.
function summary(trials, k, level) {
  const values = trials.map((trial) => trial[k]).filter((one) => one !== null);
  if (values.length === 0) return null;
  const mean = values.reduce((sum, one) => sum + one, 0) / values.length;
  const reach = values.filter((one) => one >= level).length;
  return { count: values.length, mean, low: Math.min(...values), high: Math.max(...values), reach };
}
