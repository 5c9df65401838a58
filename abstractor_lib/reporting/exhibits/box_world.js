// Bridge Box World to play, and scripts and agents that play the same puzzles.
const TILE = 40,
  APART = 20; // pixels: a tile, and the gap before the inventory
const HOLE = "m-3.5 7l2-8a4 4 0 1 1 3 0l2 8z";
const SAYS = {
  start: "Take a loose key to begin.",
  edge: "You stay where you are, and it counts as a step.",
};

const body = stage(figure, STYLE);
const puzzleOf = (number) => ({ ...DATA.size, ...DATA.puzzles[number] });
let puzzle = 0; // which one
let player = "you";
let moves = ""; // all that are known
let mine = ""; // those of the reader's own game of this puzzle
let at = 0; // how many of them are played
let game;
let timer = null;

const letters = {}; // code -> letter, in the order in which colours lie on the board
const sign = (code) => (code === GEM ? "♦" : letters[code]);
const color = (code) => (code === GEM ? "#fff" : `hsl(${18 * (code - FIRST_HUE)} 58% 56%)`);

// What a reader sees and uses.
const board = make("svg", {
  viewBox: `0 0 ${DATA.size.columns * TILE + APART + TILE} ${DATA.size.rows * TILE}`,
  class: "scene",
  tabindex: 0,
  role: "application",
  keydown: pressed,
  click: touched,
});
const said = make("p", { class: "said", role: "status" });
const slider = make("input", {
  type: "range",
  min: 0,
  "aria-label": "step of the episode",
  input: () => goTo(+slider.value),
});
const play = button("Play", () => (timer ? stop() : start()));
const again = button("Start again", () => choose(puzzle));
const picker = make("select", { "aria-label": "puzzle", change: () => choose(+picker.value) });
DATA.puzzles.forEach((one, k) => picker.append(make("option", { value: k }, `Puzzle ${k + 1}`)));
const next = button("Next puzzle", () => choose((puzzle + 1) % DATA.puzzles.length));
const rows = make("tbody");
const arrows = { l: ["←", "left"], u: ["↑", "up"], r: ["→", "right"], d: ["↓", "down"] };
const pad = make("div", { class: "pad", role: "group", "aria-label": "move" });
for (const [move, [arrow, name]] of Object.entries(arrows))
  pad.append(button(arrow, () => moved(move), { "aria-label": name }));
const graph = make("div");
const answer = make(
  "details",
  { toggle: drawGraph },
  make("summary", {}, "Show the solution"),
  graph,
);
const heads = ["player", "result", "steps", ""].map((word) => make("th", { scope: "col" }, word));
body.append(
  make("div", { class: "row" }, picker, next, again),
  make(
    "div",
    { class: "halves", style: "margin-top: 12px" },
    make(
      "div",
      { class: "board" },
      board,
      said,
      make("div", { class: "row", style: "flex-wrap: nowrap" }, play, slider),
    ),
    make(
      "div",
      { class: "beside" },
      make(
        "div",
        { class: "row" },
        pad,
        make(
          "p",
          { class: "soft", style: "flex: 1 1 120px; margin: 0" },
          "Use these buttons, tap a tile to walk there, or select the board and press arrow keys. " +
            "U takes a step back.",
        ),
      ),
      make("h3", { style: "margin-top: 14px" }, "The same puzzle, played by others"),
      make("table", {}, make("thead", {}, make("tr", {}, ...heads)), rows),
      answer,
    ),
  ),
);

const remember = linked(figure, (state) => {
  const number = Math.min(Math.max((parseInt(state.puzzle) || 1) - 1, 0), DATA.puzzles.length - 1);
  const who = DATA.players.findIndex((one) => one.link === state.player);
  choose(number, who < 0 ? "you" : who, (state.moves ?? "").replace(/[^lurd]/g, ""), false);
  if (who >= 0) goTo(parseInt(state.step) || 0, false);
});

// Take a puzzle and who plays it. Moves of scripts and agents are known.
function choose(number, who = "you", played = "", keep = true) {
  stop();
  if (number !== puzzle) answer.open = false;
  if (who === "you") mine = played;
  else if (number !== puzzle) mine = "";
  [puzzle, player] = [number, who];
  moves = who === "you" ? mine : DATA.puzzles[puzzle].plays[who];
  for (const code of Object.keys(letters)) delete letters[code];
  for (const letter of puzzleOf(puzzle).board) {
    const code = letter.charCodeAt(0) - 65;
    if (code >= FIRST_HUE) letters[code] ??= String.fromCharCode(65 + Object.keys(letters).length);
  }
  picker.value = puzzle;
  goTo(who === "you" ? moves.length : 0, keep);
  list();
}

// Play the first moves anew; what the last one did is said.
function goTo(step, keep = true, quiet = false) {
  game = new Game(puzzleOf(puzzle));
  let words = SAYS.start,
    kind = "";
  at = Math.min(Math.max(step, 0), moves.length);
  for (const move of moves.slice(0, at)) {
    const had = [...game.inventory];
    const place = game.player;
    const reward = game.step(move);
    const used = had.find((code) => !game.inventory.includes(code));
    const got = game.inventory.at(-1);
    words = game.player === place ? SAYS.edge : "";
    if (game.solved)
      [words, kind] = [`The Gem is taken: solved in ${at} steps, reward ${game.total}.`, "won"];
    else if (game.ended)
      [words, kind] = [
        `That box was the bridge. Key ${sign(used)} is gone, and the puzzle cannot be solved any more. "Show the solution" draws it.`,
        "lost",
      ];
    else if (reward)
      words =
        used == null
          ? `Key ${sign(got)} is taken.`
          : `Key ${sign(used)} opens a box. Key ${sign(got)} was in it.`;
  }
  const held = game.inventory.filter((code) => code !== GEM).map(sign);
  const holding = held.length ? `Held: ${held.join(", ")}.` : "No key is held.";
  said.replaceChildren(make("span", { class: kind }, words), ` ${game.solved ? "" : holding}`);
  slider.max = moves.length;
  slider.value = at;
  slider.disabled = play.disabled = !moves.length;
  drawBoard();
  if (keep) {
    const who =
      player === "you"
        ? { moves: moves.slice(0, at) }
        : { player: DATA.players[player].link, step: at };
    remember({ puzzle: puzzle + 1, ...who }, quiet);
  }
}

// A reader moves; not while another is watched, whose steps are not the reader's.
function moved(...walked) {
  stop();
  if (player !== "you")
    return tell(
      `You are watching: ${DATA.players[player].name}. "Back" in the table leads to your game.`,
    );
  if (game.ended) return tell("This game has ended. U takes a step back, or start again.");
  moves = moves.slice(0, at) + walked.join("");
  goTo(moves.length);
  moves = mine = game.moves; // without those after the end
  list();
}

const tell = (words) => said.replaceChildren(words);

function pressed(event) {
  const move = { ArrowLeft: "l", ArrowUp: "u", ArrowRight: "r", ArrowDown: "d" }[event.key];
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (move) moved(move);
  else if (event.key.toLowerCase() === "u") (stop(), goTo(at - 1));
  else return;
  event.preventDefault();
}

function touched(event) {
  const box = board.getBoundingClientRect();
  const scale = board.viewBox.baseVal.width / box.width;
  const column = Math.floor(((event.clientX - box.left) * scale) / TILE);
  const row = Math.floor(((event.clientY - box.top) * scale) / TILE);
  if (column < 0 || row < 0 || column >= game.columns || row >= game.rows) return;
  const tile = row * game.columns + column;
  const why = closed(tile);
  if (why) tell(why);
  else moved(...game.walk(tile));
}

// Why a tile cannot be walked to now; empty if it can.
function closed(tile) {
  const here = game.board[tile];
  if (here !== BLANK && !game.canTake(tile)) {
    if (game.left(tile) === BLANK)
      return `${here === GEM ? "The Gem" : `Key ${sign(here)}`} is in a box. Step on the lock to its right.`;
    if (game.left(tile) !== GEM) return `This lock needs a key ${sign(here)}, and none is held.`;
    return `The Gem needs both of its keys at once: ${game.gem.map((lock) => sign(game.board[lock])).join(" and ")}.`;
  }
  return game.walk(tile) ? "" : "No free way leads there.";
}

function start() {
  if (at === moves.length) goTo(0);
  play.textContent = "Pause";
  timer = setInterval(() => (at < moves.length ? goTo(at + 1, true, true) : stop()), 250);
}

function stop() {
  clearInterval(timer);
  timer = null;
  play.textContent = "Play";
}

// The table of players, with what each reached.
function list() {
  const line = (name, played, who) => {
    const one = new Game(puzzleOf(puzzle));
    for (const move of played) one.step(move);
    const end = one.solved ? ["won", "won"] : one.ended ? ["lost", "lost"] : ["", "–"];
    const look = () => board.scrollIntoView({ block: "nearest", behavior: "instant" });
    const watch = button("Watch", () => (choose(puzzle, who), start(), look()), {
      "aria-label": `watch ${name}`,
    });
    const back = button("Back", () => choose(puzzle, "you", mine), {
      "aria-label": "back to your game",
    });
    return make(
      "tr",
      { class: who === player ? "now" : false },
      make("td", {}, name),
      make("td", { class: end[0] }, end[1]),
      make("td", {}, one.moves.length),
      make("td", {}, who !== "you" ? watch : player === "you" ? "" : back),
    );
  };
  const others = DATA.players.map((one, k) => line(one.name, DATA.puzzles[puzzle].plays[k], k));
  rows.replaceChildren(line("you", mine, "you"), ...others);
}

// A tile with a key or a lock on it.
function object(x, y, code, locked) {
  const middle = [x + TILE / 2, y + TILE / 2];
  const [left, top] = [middle[0] - (locked ? 6 : 0), middle[1]];
  const parts = [
    make("rect", {
      class: "tile",
      x: x + 4,
      y: y + 4,
      width: 32,
      height: 32,
      rx: 6,
      fill: color(code),
    }),
    make("circle", { class: "plate", cx: left, cy: top, r: 9 }),
    make("text", { class: "sign", x: left, y: top + 5.2 }, sign(code)),
  ];
  if (locked)
    parts.push(make("path", { class: "hole", d: `M${middle[0] + 9.5} ${top + 1}${HOLE}` }));
  return parts;
}

function drawBoard() {
  const parts = [];
  const add = (...some) => parts.push(...some);
  const floor = game.board.map((_, tile) => {
    const [x, y] = [(tile % game.columns) * TILE, Math.floor(tile / game.columns) * TILE];
    return `M${x + 1} ${y + 1}h38v38h-38z`;
  });
  add(make("path", { class: "floor", d: floor.join("") }));
  game.board.forEach((code, tile) => {
    if (code === BLANK) return;
    const [x, y] = [(tile % game.columns) * TILE, Math.floor(tile / game.columns) * TILE];
    const locked = game.left(tile) !== BLANK;
    if (game.right(tile) !== BLANK)
      add(
        make("rect", {
          class: "box",
          x: x + 1,
          y: y + 1,
          width: 2 * TILE - 2,
          height: TILE - 2,
          rx: 8,
        }),
      );
    add(...object(x, y, code, locked));
  });
  for (let place = 0; place < 2; place++) {
    const [x, y] = [game.columns * TILE + APART, place * TILE];
    const code = game.inventory[place];
    if (code == null)
      add(make("rect", { class: "place", x: x + 4, y: y + 4, width: 32, height: 32, rx: 6 }));
    else add(...object(x, y, code, false));
  }
  const [x, y] = [
    (game.player % game.columns) * TILE,
    Math.floor(game.player / game.columns) * TILE,
  ];
  add(make("circle", { class: "player", cx: x + TILE / 2, cy: y + TILE / 2, r: 12 }));
  if (game.ended && !game.solved)
    add(
      make("rect", {
        class: "fatal",
        x: x + 2,
        y: y + 2,
        width: TILE - 4,
        height: TILE - 4,
        rx: 7,
      }),
    );
  const place = `row ${Math.floor(game.player / game.columns) + 1}, column ${(game.player % game.columns) + 1}`;
  board.setAttribute("aria-label", `Board. You are in ${place}. ${described()} Arrow keys move.`);
  board.replaceChildren(...parts);
}

// What lies on the board, in words.
function described() {
  const found = [];
  game.board.forEach((code, tile) => {
    if (code === BLANK || game.left(tile) !== BLANK) return;
    const [row, column] = [Math.floor(tile / game.columns) + 1, (tile % game.columns) + 1];
    const lock = game.right(tile);
    const what = code === GEM ? "the Gem" : `key ${sign(code)}`;
    found.push(
      `${what}${lock === BLANK ? "" : ` behind lock ${sign(lock)}`} in row ${row}, column ${column}`,
    );
  });
  return found.length ? `${found.join("; ")}.` : "";
}

// The graph of colours: an arrow for each box, from its lock to the key inside.
function drawGraph() {
  if (!answer.open) return;
  const {
    kind: [length, lock, key],
    colors,
  } = DATA.puzzles[puzzle];
  const spot = (number) => {
    const lower = number > length;
    return [30 + 74 * (length - (lower ? number - length : number)), lower ? 110 : 40];
  };
  const end = [30 + 74 * length, 75];
  const parts = [];
  const arrow = ([x, y], [u, v], bridge = "") => {
    const far = Math.hypot(u - x, v - y),
      [a, b] = [(u - x) / far, (v - y) / far];
    const [tx, ty] = [u - 20 * a, v - 20 * b];
    parts.push(
      make("line", {
        class: `arrow ${bridge}`,
        x1: x + 18 * a,
        y1: y + 18 * b,
        x2: tx - 6 * a,
        y2: ty - 6 * b,
      }),
      make("path", {
        class: `tip ${bridge}`,
        d: `M${tx} ${ty}l${-10 * a - 5 * b} ${-10 * b + 5 * a}l${10 * b} ${-10 * a}z`,
      }),
    );
  };
  for (let number = 1; number <= 2 * length; number++)
    arrow(spot(number), number === 1 || number === length + 1 ? end : spot(number - 1));
  if (lock) {
    arrow(spot(lock), spot(key), "bridge");
    parts.push(
      make(
        "text",
        { class: "note", x: 10, y: 152 },
        "dashed: the bridge, which must not be opened",
      ),
    );
  } else parts.push(make("text", { class: "note", x: 10, y: 152 }, "this puzzle has no bridge"));
  const node = ([x, y], code) => parts.push(...object(x - TILE / 2, y - TILE / 2, code, false));
  for (let number = 1; number <= 2 * length; number++)
    node(spot(number), colors.charCodeAt(number) - 65);
  node(end, GEM);
  const label =
    "Graph of keys: two paths lead to the Gem" +
    (lock ? "; a bridge leads from the upper to the lower one." : ".");
  graph.replaceChildren(
    make("svg", { viewBox: "0 0 330 160", width: 330, role: "img", "aria-label": label }, ...parts),
  );
}

figure.exhibit = { Game, DATA };
