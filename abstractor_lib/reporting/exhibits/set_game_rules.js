// The game of SET, and what networks say of triples of cards; abstractor_lib.tasks.set_game.
// Cards are numbers 0 to 80, whose four digits to base 3 are their attributes.
const CARDS = 81,
  TRIPLES = 85320;

function valuesOf(card) {
  return [27, 9, 3, 1].map((weight) => Math.floor(card / weight) % 3);
}

// The attributes, 0 to 3, in which three cards neither all agree nor all differ; none in a SET.
function broken(cards) {
  const [a, b, c] = cards.map(valuesOf);
  return [0, 1, 2, 3].filter((k) => (a[k] + b[k] + c[k]) % 3 !== 0);
}

// The place of three cards among all triples, in the order of their numbers.
function placeOf(cards) {
  const [a, b, c] = [...cards].sort((one, other) => one - other);
  const left = CARDS - a,
    pairs = CARDS - b;
  const before = TRIPLES - (left * (left - 1) * (left - 2)) / 6;
  return before + ((left - 1) * (left - 2) - pairs * (pairs - 1)) / 2 + c - b - 1;
}

// All triples of some cards.
function triplesOf(cards) {
  return cards.flatMap((a, i) =>
    cards.slice(i + 1).flatMap((b, k) => cards.slice(i + k + 2).map((c) => [a, b, c])),
  );
}

// The triples of which a network is wrong, from the gaps between their places: a letter for each
// gap, of which "~" says that 91 are to be added to the next one.
function mistakes(text) {
  const found = new Uint8Array(TRIPLES);
  let place = -1;
  for (const letter of text) {
    const gap = letter.charCodeAt(0) - 35;
    place += letter === "~" ? 91 : gap + 1;
    if (letter !== "~") found[place] = 1;
  }
  return found;
}

// Whether a network calls three cards a SET.
function calls(wrong, cards) {
  return (broken(cards).length === 0) !== (wrong[placeOf(cards)] === 1);
}

// The top of a shuffled deck: twelve cards, and three more as long as there is no SET among them.
// Numbers of deals give the same cards on every machine (mulberry32).
function dealt(number) {
  let state = number;
  const random = (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
  const deck = Array.from({ length: CARDS }, (_, card) => card);
  for (let k = CARDS - 1; k > 0; k--) {
    const other = random(k + 1);
    [deck[k], deck[other]] = [deck[other], deck[k]];
  }
  let count = 12;
  while (!triplesOf(deck.slice(0, count)).some((cards) => broken(cards).length === 0)) count += 3;
  return deck.slice(0, count);
}
