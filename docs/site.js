// Pages opened as files may not read each other: the search then shows titles without excerpts.
if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;

// A figure is a link to itself: alone in the window it can be enlarged.
document.addEventListener("DOMContentLoaded", () => {
  for (const image of document.querySelectorAll("article img")) {
    if (image.closest("a")) continue;
    const link = document.createElement("a");
    link.href = image.src;
    image.replaceWith(link);
    link.append(image);
  }
});

// Cells with many words get room, so that a wide table scrolls rather than grows long.
document.addEventListener("DOMContentLoaded", () => {
  for (const cell of document.querySelectorAll(".cell_output td")) {
    const letters = cell.textContent.length;
    if (letters > 24) cell.style.minWidth = letters > 80 ? "10.5em" : "7em";
  }
});

// A link into a fold (conf.py makes them) opens it, and so does printing.
document.addEventListener("DOMContentLoaded", () => {
  const open = () => {
    const place = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const fold = place?.closest("details.appendix") ?? place?.querySelector(":scope > .appendix");
    if (!fold || fold.open) return;
    fold.open = true;
    place.scrollIntoView();
  };
  open();
  addEventListener("hashchange", open);
  addEventListener("beforeprint", () => {
    for (const fold of document.querySelectorAll("details.appendix")) fold.open = true;
  });
});

// A search that leads to a place without words finds no excerpt there, where Sphinx expects one.
document.addEventListener("DOMContentLoaded", () => {
  if (typeof Search === "undefined") return;
  const excerpt = Search.makeSearchSummary;
  Search.makeSearchSummary = (...given) => excerpt(...given) ?? document.createElement("p");
});

// Classes once stood on the page of their module: a link to one there leads to its own page.
document.addEventListener("DOMContentLoaded", () => {
  const name = decodeURIComponent(location.hash.slice(1));
  if (!name || document.getElementById(name)) return;
  for (const link of document.querySelectorAll("article table.autosummary a")) {
    const its = decodeURIComponent(link.hash.slice(1));
    if (name !== its && !name.startsWith(`${its}.`)) continue;
    link.hash = name;
    location.replace(link.href);
  }
});
