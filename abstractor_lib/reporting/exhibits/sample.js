// Sample efficiency: Figure 5a of v3 with its trials, at a training size and an accuracy of one's choice.
const HIGH = 320,
  LEFT = 40,
  TOP = 14,
  RIGHT = 24,
  BOTTOM = 44,
  LAST = 3000;
let WIDE = 640; // pixels; as wide as there is room

const body = stage(figure, STYLE);
let protocol, at, level;

const x = (size) => LEFT + (size / LAST) * (WIDE - LEFT - RIGHT);
const y = (value) => TOP + (1 - value) * (HIGH - TOP - BOTTOM);
const number = (value) => value.toLocaleString("en");
const chart = make("svg", { class: "scene", role: "img", click: touched });
const protocols = choice(
  "settings",
  DATA.protocols.map((one, k) => [String(k), one.name]),
  (value) => {
    const size = sizes()[at];
    protocol = +value;
    at = nearest(size);
    draw();
  },
);
const note = make("p", { class: "soft", style: "margin: 6px 0 0" });
const slide = (attributes, words) => {
  const input = make("input", { type: "range", ...attributes });
  const said = make("span");
  return { input, said, element: make("label", { class: "slider wide" }, words, said, input) };
};
const sizeSlider = slide(
  { min: 0, input: () => ((at = +sizeSlider.input.value), draw()) },
  "Training sequences: ",
);
const levelSlider = slide(
  { min: 0.05, max: 0.95, step: 0.05, input: () => ((level = +levelSlider.input.value), draw()) },
  "Accuracy to reach: ",
);
const said = make("p", { role: "status", style: "margin: 8px 0 4px" });
const rows = make("tbody");
const swatch = (k) => make("svg", { class: "swatch", width: 14, height: 14 }, mark(k, 7, 7, 5));
const heads = make(
  "tr",
  {},
  make("td"),
  ...DATA.models.map((one, k) => make("th", { scope: "col" }, swatch(k), one)),
);
body.append(
  protocols.element,
  note,
  make(
    "p",
    { class: "soft legend" },
    ...DATA.models.flatMap((one, k) => [swatch(k), `${one} `]),
    "(dots: trials; solid: their mean; dashed: the paper's mean)",
  ),
  make("div", { class: "chart" }, chart),
  make("div", { class: "row" }, sizeSlider.element, levelSlider.element),
  said,
  make("div", { class: "scroll" }, make("table", {}, make("thead", {}, heads), rows)),
);

const sizes = () => DATA.protocols[protocol].sizes;
const nearest = (size) =>
  sizes().reduce(
    (best, one, k) => (Math.abs(one - size) < Math.abs(sizes()[best] - size) ? k : best),
    0,
  );
const between = ([low, high]) =>
  high === Infinity
    ? `more than ${number(low)}`
    : low
      ? `${number(low)} to ${number(high)}`
      : `at most ${number(high)}`;

function show(state) {
  const found = DATA.protocols.findIndex((one) => one.name === state.settings);
  protocol = found < 0 ? 0 : found;
  at = nearest(parseInt(state.size) || 1000);
  const given = Math.round(20 * parseFloat(state.level)) / 20;
  level = given >= 0.05 && given <= 0.95 ? given : 0.5;
  draw(false);
}

function touched(event) {
  const box = chart.getBoundingClientRect();
  const place = ((event.clientX - box.left) / box.width) * WIDE;
  at = nearest(((place - LEFT) / (WIDE - LEFT - RIGHT)) * LAST);
  draw();
}

// A model's mark: circle, square or triangle, as in the figures.
function mark(model, cx, cy, r, more = "") {
  const place = [cx.toFixed(1), cy.toFixed(1)];
  const kind = `dot m${model} ${more}`;
  if (model === 0) return make("circle", { class: kind, cx: place[0], cy: place[1], r });
  const shape =
    model === 1
      ? `m${-r} ${-r}h${2 * r}v${2 * r}h${-2 * r}z`
      : `m0 ${-1.2 * r}l${1.2 * r} ${2.1 * r}h${-2.4 * r}z`;
  return make("path", { class: kind, d: `M${place}${shape}` });
}

const path = (points) =>
  points
    .map(([size, value], k) => `${k ? "L" : "M"}${x(size).toFixed(1)} ${y(value).toFixed(1)}`)
    .join("");

function draw(keep = true) {
  const { name, about, models } = DATA.protocols[protocol];
  const size = sizes()[at];
  protocols.set(String(protocol));
  note.textContent = about;
  sizeSlider.input.max = sizes().length - 1;
  sizeSlider.input.value = at;
  sizeSlider.input.setAttribute("aria-valuetext", `${number(size)} training sequences`);
  sizeSlider.said.textContent = number(size);
  levelSlider.input.value = level;
  levelSlider.said.textContent = level.toFixed(2);
  drawChart(models, size);
  const found = models.map(({ trials }) => summary(trials, at, level));
  const of = (write) => found.map((one) => (one ? write(one) : "–"));
  const table = {
    trials: of((one) => one.count),
    mean: of((one) => one.mean.toFixed(3)),
    "lowest to highest": of((one) => `${one.low.toFixed(3)} to ${one.high.toFixed(3)}`),
    [`trials with at least ${level.toFixed(2)}`]: of((one) => one.reach),
    [`sequences that half of the trials need for ${level.toFixed(2)}`]: models.map(({ trials }) => {
      const whole = trials.filter((trial) => trial[0] !== null && trial.at(-1) !== null);
      return between(medianBracket(whole.map((trial) => bracketOf(level, sizes(), trial))));
    }),
    [`sequences that the paper's mean needs for ${level.toFixed(2)}`]: DATA.paper.map((points) => {
      const [given, means] = [0, 1].map((part) => points.map((point) => point[part]));
      return between(bracketOf(level, given, means));
    }),
  };
  rows.replaceChildren(
    ...Object.entries(table).map(([what, cells]) =>
      make(
        "tr",
        {},
        make("th", { scope: "row" }, what),
        ...cells.map((cell) => make("td", {}, String(cell))),
      ),
    ),
  );
  const counts = found
    .map((one, k) => one && `${one.reach} of ${one.count} trials of the ${DATA.models[k]}`)
    .filter(Boolean);
  said.textContent = `With ${number(size)} training sequences, ${counts.slice(0, -1).join(", ")}${counts.length > 1 ? " and " : ""}${counts.at(-1)} have at least ${level.toFixed(2)} full-sequence accuracy.`;
  if (keep) remember({ settings: name, size, level });
}

function drawChart(models, size) {
  const parts = [
    make("rect", {
      class: "ground",
      x: LEFT,
      y: TOP - 6,
      width: WIDE - LEFT - RIGHT + 8,
      height: HIGH - TOP - BOTTOM + 12,
      rx: 6,
    }),
  ];
  for (const value of [0, 0.25, 0.5, 0.75, 1])
    parts.push(
      make("line", { class: "grid", x1: LEFT, x2: WIDE - RIGHT, y1: y(value), y2: y(value) }),
      make("text", { class: "axis side", x: LEFT - 6, y: y(value) + 4 }, String(value)),
    );
  for (let one = 0; one <= LAST; one += 500)
    parts.push(make("text", { class: "axis", x: x(one), y: HIGH - BOTTOM + 22 }, number(one)));
  parts.push(
    make("text", { class: "axis", x: (WIDE + LEFT) / 2, y: HIGH - 3 }, "training sequences"),
  );
  parts.push(
    make("line", { class: "level", x1: LEFT, x2: WIDE - RIGHT, y1: y(level), y2: y(level) }),
  );
  parts.push(
    make("line", { class: "here", x1: x(size), x2: x(size), y1: TOP - 6, y2: HIGH - BOTTOM + 6 }),
  );
  DATA.paper.forEach((points, k) =>
    parts.push(make("path", { class: `line paper m${k}`, d: path(points) })),
  );
  models.forEach(({ trials, further }, k) => {
    const means = sizes()
      .map((one, j) => [one, summary(trials, j, level)])
      .filter(([, sum]) => sum)
      .map(([one, sum]) => [one, sum.mean]);
    parts.push(make("path", { class: `line m${k}`, d: path(means) }));
    const beside = 5 * (k - 1); // trials of the models stand side by side
    sizes().forEach((one, j) => {
      const now = one === size;
      const add = (value, more) =>
        parts.push(
          mark(k, x(one) + beside, y(value), now ? 4.5 : 3, `${now ? "" : "faint"} ${more}`),
        );
      for (const trial of trials) if (trial[j] !== null) add(trial[j], "");
      for (const value of further[one] ?? []) add(value, "further");
    });
  });
  chart.setAttribute("viewBox", `0 0 ${WIDE} ${HIGH}`);
  chart.setAttribute(
    "aria-label",
    "Full-sequence accuracy by training set size: a dot for each trial, a line for their mean, dashed for the paper's",
  );
  chart.replaceChildren(...parts);
}

new ResizeObserver(([{ contentRect }]) => {
  const wide = Math.round(Math.min(Math.max(contentRect.width, 300), 900));
  if (wide === WIDE) return;
  WIDE = wide;
  draw(false);
}).observe(chart.parentElement);
const remember = linked(figure, show);
figure.exhibit = { DATA };
