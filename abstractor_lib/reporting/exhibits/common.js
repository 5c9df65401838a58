// What all exhibits share: elements, a place in the page, light and dark, state in the address.
const SVG = "http://www.w3.org/2000/svg";
const DRAWN = new Set("svg g rect circle line path text defs pattern".split(" "));

// An element with attributes (a function listens to the event of that name) and children.
function make(tag, attributes = {}, ...children) {
  const element = DRAWN.has(tag) ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

// Where an exhibit lives: it takes the place of the still picture, apart from the page's styles.
function stage(figure, style) {
  for (const part of figure.querySelectorAll(":scope > img, .still")) part.remove();
  const host = make("div", { class: "exhibit-live", "data-lm-suppress-shortcuts": "true" });
  figure.prepend(host);
  const root = host.attachShadow({ mode: "open" });
  const body = make("div", { class: "exhibit" });
  root.append(make("style", {}, style), body);
  host.addEventListener("keydown", (event) => event.stopPropagation());
  const shade = () => {
    // The page is dark where its text is light, whichever program shows it.
    const [red, green, blue] = getComputedStyle(figure)
      .color.match(/[\d.]+/g)
      .map(Number);
    body.classList.toggle("dark", 0.3 * red + 0.59 * green + 0.11 * blue > 140);
  };
  shade();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", shade);
  const watched = {
    attributes: true,
    attributeFilter: ["class", "data-theme", "data-jp-theme-light"],
  };
  for (const part of [document.documentElement, document.body])
    new MutationObserver(() => setTimeout(shade, 50)).observe(part, watched);
  return body;
}

// A state is written "#NAME:key=value&key=value" behind the page's address, so that it can be linked
// to. `show` is called with the state of the address now, and whenever a link changes it. An address
// holds one state, that of the exhibit used last; a `quiet` one does not take another's place.
function linked(host, show) {
  const arrive = () => host.scrollIntoView({ block: "start", behavior: "instant" });
  const read = () => {
    const [whose, rest] = location.hash.slice(1).split(/:(.*)/s);
    return whose === NAME ? Object.fromEntries(new URLSearchParams(rest ?? "")) : null;
  };
  addEventListener("hashchange", () => {
    const state = read();
    if (!state || !host.isConnected) return;
    show(state);
    arrive();
  });
  show(read() ?? {});
  if (read()) {
    // What lies above may still grow while the page loads; whoever has begun to read is left alone.
    const left = new AbortController();
    const { signal } = left;
    for (const act of ["wheel", "pointerdown", "keydown"])
      addEventListener(act, () => left.abort(), { signal, passive: true });
    const again = () => signal.aborted || !read() || arrive();
    requestAnimationFrame(again);
    addEventListener("load", again, { signal });
    for (const later of [300, 1000]) addEventListener("load", () => setTimeout(again, later));
    if (document.readyState === "complete") setTimeout(again, 300);
  }
  return (state, quiet = false) => {
    if (quiet && location.hash && !read()) return;
    const said = Object.entries(state).map(([key, value]) => `${key}=${value}`);
    const address = `#${NAME}:${said.join("&")}`;
    try {
      history.replaceState(history.state, "", address);
    } catch {} // a page may forbid it; the exhibit works without
  };
}

// One of several words, as radio buttons in a row. `options` are [value, label] pairs.
let groups = 0;
function choice(legend, options, change) {
  const group = `choice-${groups++}`;
  const inputs = options.map(([value]) =>
    make("input", { type: "radio", name: group, value, change: () => change(value) }),
  );
  const labels = options.map(([, label], k) =>
    make("label", {}, inputs[k], make("span", {}, label)),
  );
  const element = make("fieldset", { class: "choice" }, make("legend", {}, legend), ...labels);
  return { element, set: (value) => inputs.forEach((one) => (one.checked = one.value === value)) };
}

const button = (label, press, more = {}) =>
  make("button", { type: "button", click: press, ...more }, label);
