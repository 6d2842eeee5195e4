// The frame of the app: elements, pages by address, keyboard, theme, and the manifest, live if the app is served.
//
// A page registers itself:
//
//   page("training", {
//     title: "Training",                       // in the navigation
//     shown: m => m.runs.some(r => r.kind === "training"),
//     render(root, parts, query) {             // #/training/3?step=5 has the parts ["3"] and the query {step: "5"}
//       root.append(el("h1", {}, "..."));
//       return {keys: {j: next}, changed() {}, leave() {}};   // all optional; changed: the manifest is a new one
//     },
//   });
//
// Data are loaded by name: await load(`${run.id}/rows0.0`) gives text, await loadJson(...) values. Text of episodes
// comes into the page by el(), which makes text nodes, and never as HTML.

const pages = new Map();
let manifest = JSON.parse(document.getElementById("manifest").textContent);
let shown = null; // the page that is shown: {name, page, handlers}

function page(name, definition) { pages.set(name, {name, ...definition}); }

// ---- elements -------------------------------------------------------------------------------------------------------

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (key === "style") node.style.cssText = value;
    else if (key === "value" || key === "checked" || key === "disabled" || key === "open") node[key] = value;
    else node.setAttribute(key, value === true ? "" : String(value));
  }
  for (const child of children.flat(Infinity))
    if (child !== null && child !== undefined && child !== false)
      node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  return node;
}
function el(tag, attributes, ...children) { return fill(document.createElement(tag), attributes, children); }
function svg(tag, attributes, ...children) { return fill(document.createElementNS(SVG, tag), attributes, children); }

// ---- numbers --------------------------------------------------------------------------------------------------------

const known = v => typeof v === "number" && Number.isFinite(v);
const percent = (v, digits = 1) => known(v) ? (100 * v).toFixed(digits).replace(/^-(?=0(\.0*)?$)/, "") : "";
const signed = v => known(v) ? (v >= 0 ? "+" : "−") + Math.abs(100 * v).toFixed(1) : "";
const interval = ends => ends ? `${percent(ends[0])}–${percent(ends[1])}` : "";
const count = n => known(n) ? Math.round(n).toLocaleString("en") : "";
function number(v, digits = 3) {
  if (!known(v)) return "";
  if (v === 0 || Math.abs(v) >= 1000) return Math.round(v).toLocaleString("en");
  return String(Number(v.toPrecision(digits)));
}
function duration(s) {
  if (!known(s)) return "";
  if (s < 60) return `${number(s, 2)} s`;
  if (s < 3600) return `${Math.round(s / 60)} min`;
  return `${Math.floor(s / 3600)} h ${Math.round(s % 3600 / 60)} min`;
}
const plural = (n, word) => `${count(n)} ${word}${n === 1 ? "" : "s"}`;
const shortEnv = env => env.replace(/^turnwise\//, "");

// ---- addresses ------------------------------------------------------------------------------------------------------

function address(parts, query) {
  const given = Object.entries(query || {}).filter(([, v]) => v !== "" && v !== null && v !== undefined);
  const tail = given.length ? "?" + new URLSearchParams(given) : "";
  return "#/" + parts.map(encodeURIComponent).join("/") + tail;
}
function here() {
  const [path, tail] = (location.hash || manifest.start || "#/").slice(1).split("?");
  let parts;
  try { parts = path.split("/").filter(Boolean).map(decodeURIComponent); } catch { parts = []; }
  return {parts, query: Object.fromEntries(new URLSearchParams(tail || ""))};
}
function go(parts, query) { location.hash = address(parts, query); }
function replaceAddress(parts, query) {
  history.replaceState(null, "", address(parts, query));
}
function shownPages() { return [...pages.values()].filter(p => p.title && (!p.shown || p.shown(manifest))); }

function route() {
  const {parts, query} = here();
  const name = pages.has(parts[0]) ? parts[0] : (shownPages()[0] || {name: "settings"}).name;
  const root = el("main", {id: "page", "data-page": name, tabindex: "-1"});
  if (shown && shown.handlers.leave) shown.handlers.leave();
  const old = document.getElementById("page");
  if (old) old.replaceWith(root); else document.body.append(root);
  for (const link of document.querySelectorAll("nav a"))
    if (link.dataset.page === name) link.setAttribute("aria-current", "page"); else link.removeAttribute("aria-current");
  shown = {name, handlers: {}};
  try {
    shown.handlers = pages.get(name).render(root, parts.slice(1), query) || {};
  } catch (error) { root.append(trouble(error)); console.error(error); }
  window.scrollTo(0, 0);
}
function trouble(error) { return el("p", {class: "notice bad", role: "alert"}, `This cannot be shown: ${error.message}`); }

// ---- the bar at the top ---------------------------------------------------------------------------------------------

const THEMES = ["", "dark", "light"];
function stored(name, value) {
  try {
    if (value === undefined) return localStorage.getItem(name);
    localStorage.setItem(name, value);
  } catch { /* a page that may keep nothing */ }
  return null;
}
function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  stored("turnwise-theme", theme);
}
function bar() {
  setTheme(THEMES.includes(stored("turnwise-theme")) ? stored("turnwise-theme") : "");
  const links = shownPages().map(p => el("a", {href: address([p.name]), "data-page": p.name}, p.title));
  const theme = el("button", {class: "plain", title: "Light or dark", "aria-label": "Light or dark",
    onclick: () => {
      const dark = document.documentElement.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
      setTheme(dark === "dark" ? "light" : "dark");
    }}, "◐");
  const help = el("button", {class: "plain", title: "Keys (?)", "aria-label": "Keys", onclick: showHelp}, "?");
  const old = document.querySelector("header");
  const made = el("header", {}, el("a", {class: "brand", href: "#/"}, "turnwise"), el("nav", {}, links),
    el("span", {class: "space"}), manifest.served && el("span", {id: "live", class: "live", role: "status"}), theme, help);
  if (old) old.replaceWith(made); else document.body.prepend(made);
}

// ---- keyboard -------------------------------------------------------------------------------------------------------

const KEYS = {
  "/": "search in the transcripts", j: "next row or turn", k: "previous row or turn", Enter: "open the row",
  n: "next episode of the list", p: "previous episode of the list", Esc: "back, or close", "?": "these keys",
};
function showHelp() {
  const rows = Object.entries(KEYS).map(([key, words]) => el("tr", {}, el("td", {}, el("kbd", {}, key)), el("td", {}, words)));
  const digits = shownPages().map((p, i) => el("tr", {}, el("td", {}, el("kbd", {}, i + 1)), el("td", {}, p.title)));
  dialog("Keys", el("table", {class: "keys"}, rows, digits));
}
function dialog(title, ...content) {
  const box = el("dialog", {"aria-label": title}, el("div", {class: "row"}, el("h2", {}, title), el("span", {class: "space"}),
    el("button", {class: "plain", "aria-label": "Close", onclick: () => box.close()}, "✕")), ...content);
  box.addEventListener("close", () => box.remove());
  box.addEventListener("click", event => { if (event.target === box) box.close(); });
  document.body.append(box);
  box.showModal();
  return box;
}
function typing(target) { return target.closest && target.closest("input, textarea, select, [contenteditable]"); }
document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  const handlers = shown && shown.handlers.keys || {};
  if (typing(event.target)) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const own = handlers[event.key === "Escape" ? "Esc" : event.key];
  const digit = shownPages()[Number(event.key) - 1];
  if (own) { if (own(event) !== false) event.preventDefault(); }
  else if (event.key === "?") { event.preventDefault(); showHelp(); }
  else if (event.key === "/" && pages.has("episodes") && manifest.runs.some(r => r.kind === "evaluation")) {
    event.preventDefault(); go(["episodes"], {focus: 1});
  } else if (digit) go([digit.name]);
});

// ---- live -----------------------------------------------------------------------------------------------------------

let lookAgain = null;
async function look() {
  clearTimeout(lookAgain);
  const sign = document.getElementById("live");
  try {
    const answer = await fetch(`state?state=${manifest.state}`);
    if (answer.status === 200) {
      const old = manifest;
      manifest = await answer.json();
      for (const name of [...loaded.keys()]) if (name.startsWith("all/")) loaded.delete(name);
      if (old.runs.length !== manifest.runs.length) bar();
      if (shown && shown.handlers.changed) shown.handlers.changed(old);
    }
    if (sign) { sign.textContent = "live"; sign.classList.remove("bad"); }
  } catch {
    if (sign) { sign.textContent = "the server is gone"; sign.classList.add("bad"); }
  }
  lookAgain = setTimeout(look, 2000);
}
async function ask(run, what, more) {
  const answer = await fetch("ask", {method: "POST", headers: {"Content-Type": "application/json"},
    body: JSON.stringify({run, what, ...more})});
  const found = await answer.json();
  if (!answer.ok) throw new Error(found.error || answer.statusText);
  return found;
}
