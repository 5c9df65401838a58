// A few objects in a plane, to be dragged: their relations and what attention mixes move with them.
const SIZE = 300,
  EDGE = 3; // pixels of a panel, and the largest coordinate
const COLORS = ["#56b4e9", "#e69f00", "#009e73", "#cc79a7", "#f0e442"];
const SYMBOLS = DATA.symbols;

const body = stage(figure, STYLE);
let points, chosen, preset, which, activation, strict;
let before = null; // the numbers before the last move
let words = "";

const toPixel = ([x, y], edge = EDGE) => [SIZE / 2 + (x / edge) * 140, SIZE / 2 - (y / edge) * 140];
const shown = (value) => (Math.abs(value) < 5e-5 ? "0" : value.toFixed(value < 0.01 ? 4 : 2));

const scene = (label) =>
  make("svg", {
    class: "scene",
    viewBox: `0 0 ${SIZE} ${SIZE}`,
    role: "group",
    "aria-label": label,
  });
const plane = scene("the objects, and what self-attention makes of them");
const second = scene("the symbols, and what relational cross-attention makes of them");
const matrix = make("svg", { class: "scene", viewBox: `0 0 ${SIZE} ${SIZE}`, role: "img" });
const said = make("p", { class: "said", role: "status" });
const note = make("p", { class: "soft" });

const presets = choice(
  "relation",
  DATA.presets.map((one, k) => [String(k), one.name]),
  (value) => {
    [preset, which, words] = [+value, 0, ""];
    draw();
  },
);
const numbers = choice(
  "which",
  [0, 1, 2, 3].map((k) => [String(k), String(k + 1)]),
  (value) => {
    [which, words] = [+value, ""];
    draw();
  },
);
const activations = choice(
  "activation",
  [
    ["softmax", "softmax"],
    ["sigmoid", "sigmoid"],
  ],
  (value) => {
    [activation, words] = [value, ""];
    draw();
  },
);
const bottleneck = choice(
  "strict bottleneck",
  [
    ["", "off"],
    ["1", "on"],
  ],
  (value) => {
    [strict, words] = [Boolean(value), ""];
    draw();
  },
);
const hide = button(
  "",
  () => {
    const { along } = DATA.presets[preset];
    moveTo(chosen, shifted(points[chosen], along, 1.5, EDGE - 0.2), true);
  },
  { class: "main" },
);
const reset = button("Start again", () => {
  points = DATA.points.map((one) => [...one]);
  [chosen, before, words] = [0, null, ""];
  draw();
});
const panel = (title, note, drawing) =>
  make("div", {}, make("h3", {}, title), make("p", { class: "soft" }, note), drawing);
body.append(
  make(
    "div",
    { class: "row" },
    presets.element,
    numbers.element,
    activations.element,
    bottleneck.element,
  ),
  make(
    "div",
    { class: "panels" },
    panel(
      "Self-attention",
      "Circles: objects; drag them, or use arrow keys. Diamonds: outputs; dashed: outside the panel.",
      plane,
    ),
    panel("Relations", "Row i, column j: how much object i looks at object j.", matrix),
    panel(
      "Relational cross-attention",
      "Squares: symbols, which never move. Diamonds: outputs.",
      second,
    ),
  ),
  note,
  make("div", { class: "row" }, hide, reset),
  said,
);

// The numbers that all panels show.
function computed() {
  const relations = relationsOf(DATA.presets[preset].forms[which], points, activation, strict);
  return { relations, self: mixed(relations, points), cross: mixed(relations, SYMBOLS) };
}

function show(state) {
  const given = (state.at ?? "").split(",").map(Number);
  const usable = given.length === 10 && given.every((one) => Math.abs(one) <= EDGE);
  points = DATA.points.map((one, k) => (usable ? given.slice(2 * k, 2 * k + 2) : [...one]));
  const whole = (text, count) => Math.min(Math.max(parseInt(text) || 0, 0), count - 1);
  preset = whole(state.preset, DATA.presets.length);
  which = whole(state.relation - 1, DATA.presets[preset].forms.length);
  activation = state.activation === "sigmoid" ? "sigmoid" : "softmax";
  strict = state.strict === "1";
  chosen = whole(state.chosen - 1, points.length);
  [before, words] = [null, ""];
  draw(false);
}

// Move an object; what has changed since `before` is said.
function moveTo(number, [x, y], fresh) {
  if (fresh || !before) before = computed();
  const inside = (value) => Math.round(100 * Math.min(Math.max(value, -EDGE), EDGE)) / 100;
  points[number] = [inside(x), inside(y)];
  chosen = number;
  const after = computed();
  const [relations, self, cross] = ["relations", "self", "cross"].map((one) =>
    shown(apart(before[one], after[one])),
  );
  words =
    `Object ${number + 1} has moved. Largest change by this move: of a relation ${relations}; of ` +
    `an output of self-attention ${self}; of relational cross-attention ${cross}.`;
  draw();
}

function draw(keep = true) {
  const now = computed();
  const { along, button, text } = DATA.presets[preset];
  presets.set(String(preset));
  numbers.set(String(which));
  numbers.element.hidden = DATA.presets[preset].forms.length === 1;
  activations.set(activation);
  bottleneck.set(strict ? "1" : "");
  hide.textContent = `Move object ${chosen + 1} ${button}`;
  note.textContent = text;
  said.textContent = words || "Move an object: what changes is said here, and drawn as a trail.";
  drawPlane(now, along);
  drawSymbols(now);
  drawMatrix(now);
  if (!keep) return;
  const more = {
    preset,
    relation: which + 1,
    activation,
    strict: Number(strict),
    chosen: chosen + 1,
  };
  remember({ at: points.flat().join(), ...more });
}

const threads = (from, values, weights, edge) =>
  values.map((value, j) => {
    const [[x1, y1], [x2, y2]] = [toPixel(from, edge), toPixel(value, edge)];
    return make("line", {
      class: "thread",
      x1,
      y1,
      x2,
      y2,
      "stroke-width": (7 * weights[j]).toFixed(2),
    });
  });

// The way of each output in the last move.
const trails = (old, values, edge) =>
  (words ? old : []).map((from, k) => {
    const [[x1, y1], [x2, y2]] = [from, values[k]].map((one) => toPixel(one, edge));
    return make("line", { class: "trail", x1, y1, x2, y2 });
  });

// An output; one outside the panel is shown at its edge, dashed.
function diamond(value, k, edge) {
  const inside = value.map((one) => Math.min(Math.max(one, -edge), edge));
  const [x, y] = toPixel(inside, edge);
  return [
    make("path", {
      class: `output ${inside.some((one, part) => one !== value[part]) ? "far" : ""}`,
      fill: COLORS[k],
      d: `M${x.toFixed(1)} ${(y - 11).toFixed(1)}l11 11l-11 11l-11-11z`,
    }),
    make("text", { class: "mark", x: x.toFixed(1), y: (y + 4).toFixed(1) }, String(k + 1)),
  ];
}

const circles = []; // they stay, so that the focus does
function drawPlane({ relations, self }, [right, up]) {
  const parts = [make("rect", { class: "ground", width: SIZE, height: SIZE, rx: 8 })];
  for (let k = -6; k <= 6; k++) {
    const [x, y] = [-up * k * 0.8, right * k * 0.8];
    const [[x1, y1], [x2, y2]] = [-9, 9].map((t) => toPixel([x + t * right, y + t * up]));
    parts.push(make("line", { class: "stripe", x1, y1, x2, y2 }));
  }
  parts.push(...threads(points[chosen], points, relations[chosen], EDGE));
  points.forEach((point, k) => {
    const [x, y] = toPixel(point);
    circles[k] ??= make(
      "g",
      {
        tabindex: 0,
        role: "slider",
        focus: () => {
          if (chosen !== k) {
            chosen = k;
            draw();
          }
        },
        keydown: (event) => nudge(event, k),
        pointerdown: (event) => grab(event, k),
        touchstart: (event) => event.preventDefault(), // a finger on an object scrolls no page
      },
      make("circle", { class: "ring", r: 20 }),
      make("circle", { class: "dot", r: 14, fill: COLORS[k] }),
      make("text", { class: "mark", y: 4 }, String(k + 1)),
    );
    const place = `object ${k + 1}, at ${point[0].toFixed(2)}, ${point[1].toFixed(2)}`;
    const said = {
      transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})`,
      class: `object ${k === chosen ? "chosen" : ""}`,
      "aria-label": `object ${k + 1}`,
      "aria-valuetext": place,
      "aria-valuenow": point[0],
      "aria-valuemin": -EDGE,
      "aria-valuemax": EDGE,
    };
    for (const [name, value] of Object.entries(said)) circles[k].setAttribute(name, value);
  });
  if (!plane.contains(circles[0])) plane.append(make("g"), ...circles, make("g"));
  plane.firstChild.replaceChildren(...parts);
  plane.lastChild.replaceChildren(
    ...trails(before?.self, self, EDGE),
    ...self.flatMap((value, k) => diamond(value, k, EDGE)),
  );
}

function drawSymbols({ relations, cross }) {
  const edge = Math.max(1.6, 1.1 * Math.max(...cross.flat().map(Math.abs)));
  const parts = [make("rect", { class: "ground", width: SIZE, height: SIZE, rx: 8 })];
  parts.push(...threads(cross[chosen], SYMBOLS, relations[chosen], edge));
  SYMBOLS.forEach((symbol, k) => {
    const [x, y] = toPixel(symbol, edge);
    parts.push(
      make("rect", {
        x: (x - 13).toFixed(1),
        y: (y - 13).toFixed(1),
        width: 26,
        height: 26,
        rx: 4,
        fill: COLORS[k],
      }),
      make("text", { class: "mark", x: x.toFixed(1), y: (y + 4).toFixed(1) }, String(k + 1)),
    );
  });
  parts.push(...trails(before?.cross, cross, edge));
  parts.push(...cross.flatMap((value, k) => diamond(value, k, edge)));
  second.replaceChildren(...parts);
}

function drawMatrix({ relations }) {
  const cell = 52,
    left = 30;
  const parts = [make("rect", { class: "ground", width: SIZE, height: SIZE, rx: 8 })];
  relations.forEach((row, i) => {
    parts.push(
      make("text", { class: "axis", x: 15, y: left + cell * i + 31 }, String(i + 1)),
      make("text", { class: "axis", x: left + cell * i + 26, y: 20 }, String(i + 1)),
    );
    row.forEach((value, j) => {
      const [x, y] = [left + cell * j, left + cell * i];
      parts.push(
        make("rect", {
          class: "cell",
          x: x + 1,
          y: y + 1,
          width: cell - 2,
          height: cell - 2,
          rx: 4,
          "fill-opacity": (0.55 * value).toFixed(3),
        }),
        make("text", { class: "number", x: x + 26, y: y + 31 }, value.toFixed(2)),
      );
    });
  });
  parts.push(
    make("rect", {
      class: "lit",
      x: left,
      y: left + cell * chosen,
      width: 5 * cell,
      height: cell,
      rx: 5,
    }),
  );
  const rows = relations.map(
    (row, i) => `object ${i + 1}: ${row.map((one) => one.toFixed(2)).join(", ")}`,
  );
  matrix.setAttribute("aria-label", `Relations. ${rows.join("; ")}.`);
  matrix.replaceChildren(...parts);
}

function nudge(event, k) {
  const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[
    event.key
  ];
  if (!way || event.ctrlKey || event.metaKey || event.altKey) return;
  const step = event.shiftKey ? 0.5 : 0.1;
  moveTo(k, [points[k][0] + step * way[0], points[k][1] + step * way[1]], true);
  event.preventDefault();
}

function grab(event, k) {
  const handle = circles[k];
  handle.setPointerCapture(event.pointerId);
  handle.focus();
  before = computed();
  const follow = (now) => {
    const box = plane.getBoundingClientRect();
    const scale = SIZE / box.width;
    const [x, y] = [(now.clientX - box.left) * scale, (now.clientY - box.top) * scale];
    moveTo(k, [((x - SIZE / 2) / 140) * EDGE, ((SIZE / 2 - y) / 140) * EDGE]);
  };
  const leave = () => {
    handle.removeEventListener("pointermove", follow);
    for (const end of ["pointerup", "pointercancel"]) handle.removeEventListener(end, leave);
  };
  handle.addEventListener("pointermove", follow);
  for (const end of ["pointerup", "pointercancel"]) handle.addEventListener(end, leave);
  event.preventDefault();
}

const remember = linked(figure, show);
figure.exhibit = { DATA, computed: () => computed() };
