// SET against the networks: deal, find the SETs, and see what networks say of the same triples.
const NAMES = ["number", "colour", "filling", "shape"];
const COLORS = ["#c65102", "#0072b2", "#222222"]; // orange, blue, black
const WORDS = [
  ["one", "two", "three"],
  ["orange", "blue", "black"],
  ["solid", "striped", "open"],
  ["diamond", "oval", "wave"],
];
const SHAPES = [
  "M0 -24L12 0L0 24L-12 0z",
  "M-11 -13a11 11 0 0 1 22 0v26a11 11 0 0 1 -22 0z",
  "M-7 -24C12 -26 13 -10 8 -1C4 7 13 14 10 22C7 26 -10 27 -11 15C-12 7 -3 4 -5 -4C-7 -10 -16 -20 -7 -24z",
];

const body = stage(figure, STYLE);
const networks = DATA.networks.map(({ name, errors }) => ({ name, wrong: mistakes(errors) }));
let deal, cards, taken, found, words;
let shownSet = null; // one that the reader did not find

const scene = make("svg", { class: "scene", role: "group", "aria-label": "cards on the table" });
const said = make("p", { class: "said", role: "status" });
const answers = make("tbody");
const table = make("tbody");
const head = (names) =>
  make("thead", {}, make("tr", {}, ...names.map((name) => make("th", { scope: "col" }, name))));
body.append(
  make(
    "div",
    { class: "row" },
    button("New deal", () => show({ deal: deal + 1 }, true), { class: "main" }),
    button("Show a SET", () => hint()),
    button("Put back", () => take([])),
  ),
  make(
    "div",
    { class: "halves", style: "margin-top: 12px" },
    make("div", { class: "table" }, scene, said),
    make(
      "div",
      { class: "beside" },
      make("h3", {}, "The three chosen cards"),
      make("table", {}, head(["who", "says", ""]), answers),
      make("h3", { style: "margin-top: 14px" }, "All triples of this table"),
      make("table", {}, head(["who", "SETs found", "wrongly called a SET"]), table),
      make(
        "p",
        { class: "soft", style: "margin-top: 6px" },
        "The buttons show triples of which a network is wrong, one after the other. Few triples of a " +
          "table are SETs, but half of the test triples are. So a network that is right on most " +
          "test triples can call more triples of a table wrongly a SET than rightly.",
      ),
    ),
  ),
);

const isSet = (three) => broken(three).length === 0;
const key = (three) => [...three].sort((a, b) => a - b).join();

function named(card) {
  const values = valuesOf(card);
  return values.map((value, k) => WORDS[k][value]).join(" ") + (values[0] ? "s" : "");
}

function show(state, keep = false) {
  deal = Math.max(parseInt(state.deal) || 1, 1);
  cards = dealt(deal);
  [taken, found, words] = [[], new Set(), ""];
  const given = (state.cards ?? "").split(",").map(Number);
  if (given.length === 3 && new Set(given).size === 3 && given.every((one) => cards.includes(one)))
    taken = given;
  draw(keep);
}

// Choose cards; with three of them everybody says what they are.
function take(some) {
  taken = some;
  words = "";
  draw();
}

function toggle(card) {
  const from = taken.length === 3 ? [] : taken;
  take(from.includes(card) ? from.filter((one) => one !== card) : [...from, card]);
}

// The next SET, of those that the reader has not found if there are any.
function hint() {
  const sets = triplesOf(cards).filter(isSet);
  const left = sets.filter((three) => !found.has(key(three)));
  const from = left.length ? left : sets;
  shownSet = from[(from.findIndex((three) => key(three) === key(taken)) + 1) % from.length];
  take(shownSet);
}

// The next of a network's mistakes on this table, after the one that is shown.
function step(network, missed) {
  const wrong = triplesOf(cards).filter(
    (three) => isSet(three) === missed && calls(network.wrong, three) !== missed,
  );
  const next = (wrong.findIndex((three) => key(three) === key(taken)) + 1) % wrong.length;
  if (missed) shownSet = wrong[next];
  take(wrong[next]);
  said.append(` Mistake ${next + 1} of ${wrong.length} of the ${network.name}.`);
}

function draw(keep = true) {
  drawCards();
  const sets = triplesOf(cards).filter(isSet);
  const whole = taken.length === 3;
  const right = whole && isSet(taken);
  if (right && key(taken) !== key(shownSet ?? [])) found.add(key(taken));
  const seen = right && key(taken) === key(shownSet ?? []);
  if (right) words = seen ? "A SET, shown and not counted. " : "A SET. ";
  else if (whole)
    words = `No SET: the rule is broken in ${broken(taken)
      .map((k) => NAMES[k])
      .join(", ")}. `;
  else words = `Choose three cards${taken.length ? `; ${taken.length} chosen` : ""}. `;
  said.replaceChildren(
    make("span", { class: right ? "right" : whole ? "wrong" : "" }, words),
    `You have found ${found.size} of ${sets.length} SETs on this table.`,
  );
  answers.replaceChildren(
    ...networks.map(({ name, wrong }) => {
      const cell = !whole
        ? ["–", ""]
        : [calls(wrong, taken) ? "a SET" : "no SET", wrong[placeOf(taken)] ? "wrong" : "right"];
      return make(
        "tr",
        {},
        make("td", {}, name),
        make("td", {}, cell[0]),
        make("td", { class: cell[1] }, cell[1]),
      );
    }),
  );
  table.replaceChildren(
    make(
      "tr",
      {},
      make("td", {}, "you"),
      make("td", {}, `${found.size} of ${sets.length}`),
      make("td", {}, ""),
    ),
    ...networks.map((network) => {
      const called = triplesOf(cards).filter((three) => calls(network.wrong, three));
      const good = called.filter(isSet).length;
      const bad = called.length - good;
      const look = (count, missed) =>
        count
          ? button(missed ? `${count} missed` : String(count), () => step(network, missed), {
              "aria-label": `show what the ${network.name} ${missed ? "missed" : "wrongly calls a SET"}: ${count}`,
            })
          : missed
            ? ""
            : "0";
      return make(
        "tr",
        {},
        make("td", {}, network.name),
        make("td", {}, `${good} of ${sets.length} `, look(sets.length - good, true)),
        make("td", {}, look(bad, false), ` of ${triplesOf(cards).length - sets.length}`),
      );
    }),
  );
  if (keep) remember({ deal, ...(whole ? { cards: key(taken) } : {}) });
}

const shown = new Map(); // card -> its drawing, which stays, so that the focus does
function drawCards() {
  scene.setAttribute("viewBox", `0 0 448 ${Math.ceil(cards.length / 4) * 82}`);
  if (!cards.every((card) => shown.has(card)) || shown.size !== cards.length) {
    shown.clear();
    const patterns = COLORS.map((color, k) =>
      make(
        "pattern",
        { id: `stripes${k}`, width: 4, height: 4, patternUnits: "userSpaceOnUse" },
        make("rect", { width: 1.6, height: 4, fill: color }),
      ),
    );
    scene.replaceChildren(make("defs", {}, ...patterns), ...cards.map(drawCard));
  }
  for (const [card, element] of shown) {
    element.setAttribute("class", `card ${taken.includes(card) ? "taken" : ""}`);
    element.setAttribute("aria-checked", String(taken.includes(card)));
  }
}

function drawCard(card, place) {
  const [count, color, filling, shape] = valuesOf(card);
  const fill = [COLORS[color], `url(#stripes${color})`, "none"][filling];
  const shapes = Array.from({ length: count + 1 }, (_, k) =>
    make("path", {
      d: SHAPES[shape],
      transform: `translate(${53 + 30 * (k - count / 2)} 37)`,
      fill,
      stroke: COLORS[color],
      "stroke-width": 2.5,
    }),
  );
  const press = (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    toggle(card);
    event.preventDefault();
  };
  const corner = `translate(${3 + 112 * (place % 4)} ${3 + 82 * Math.floor(place / 4)})`;
  const element = make(
    "g",
    {
      class: "card",
      tabindex: 0,
      role: "checkbox",
      "aria-label": named(card),
      transform: corner,
      click: () => toggle(card),
      keydown: press,
    },
    make("rect", { class: "paper", width: 106, height: 74, rx: 9 }),
    ...shapes,
  );
  shown.set(card, element);
  return element;
}

const remember = linked(figure, show);
figure.exhibit = { DATA };
