// Charts as SVG, with values on hover: bars with intervals, lines with bands, points, and a matrix of cells.

const COLOURS = 8; // classes c0 to c7
const colour = i => `c${i % COLOURS}`;

function ticks(low, high, about) {
  const raw = (high - low) / about, size = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map(m => m * size).find(s => s >= raw * 0.999) || 10 * size;
  const found = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) found.push(Number((i * step).toPrecision(12)));
  return found;
}
function figure(title, body, keys) {
  return el("figure", {class: "card chart"},
    el("figcaption", {}, el("b", {}, title), keys, el("output", {"aria-live": "polite"})), body);
}
function key(names) {
  return names.length < 2 ? null : names.map((name, i) => el("span", {class: "key"}, el("i", {class: `swatch ${colour(i)}`}), name));
}
document.addEventListener("mouseover", event => {
  const chart = event.target.closest && event.target.closest(".chart");
  if (!chart) return;
  const output = chart.querySelector("output"), target = event.target.closest("[data-values]");
  if (output) output.textContent = target ? target.dataset.values : "";
});

// Bars: rows [{name, href, bars: [{value, ci, words}]}] of shares; one bar a series.
function bars(title, series, rows, low = 0) {
  const left = Math.min(low, ...rows.flatMap(r => r.bars.map(b => b && b.ci ? b.ci[0] : b ? b.value : 0)));
  const across = v => 100 * (Math.max(left, Math.min(1, v)) - left) / (1 - left);
  const body = el("div", {class: "bars"}, rows.map(row => el("div", {class: "bar-row" + (row.strong ? " strong" : "")},
    row.href ? el("a", {class: "bar-name", href: row.href}, row.name) : el("span", {class: "bar-name"}, row.name),
    el("div", {class: "bar-set"}, row.bars.map((bar, i) => {
      const some = bar && known(bar.value);
      const words = some ? `${series[i]}: ${percent(bar.value)}${bar.ci ? ` (${interval(bar.ci)})` : ""}${bar.words || ""}` : "";
      return el("div", {class: "bar", "data-values": words},
        some && el("div", {class: `bar-fill ${colour(i)}`, style: `left:${across(Math.min(0, bar.value))}%;width:${Math.abs(across(bar.value) - across(0))}%`}),
        some && bar.ci && el("div", {class: "bar-ci", style: `left:${across(bar.ci[0])}%;width:${across(bar.ci[1]) - across(bar.ci[0])}%`}),
        el("span", {class: "bar-value"}, some ? percent(bar.value) : "—"));
    })))));
  return figure(title, body, key(series));
}

// Lines: series [{name, points: [[x, y]], band: [[x, low, high]], marked}].
function lines(title, series, options = {}) {
  const all = series.filter(s => s.points.length);
  if (!all.length) return null;
  const wide = options.wide, width = wide ? 1040 : 380, height = wide ? 300 : 200;
  const left = 46, right = width - 12, top = 10, bottom = height - 30;
  const xs = all.flatMap(s => s.points.map(p => p[0]));
  const ys = all.flatMap(s => [...s.points.map(p => p[1]), ...(s.band || []).flatMap(b => [b[1], b[2]])]);
  let [x0, x1] = [Math.min(...xs), Math.max(...xs)], [y0, y1] = [Math.min(options.low ?? 0, ...ys), options.top ?? Math.max(...ys)];
  if (x1 <= x0) { x0 -= 0.5; x1 += 0.5; }
  if (y1 <= y0) y1 = y0 + 1;
  const sx = x => left + (x - x0) / (x1 - x0) * (right - left), sy = y => bottom - (y - y0) / (y1 - y0) * (bottom - top);
  const at = p => `${sx(p[0]).toFixed(1)},${sy(p[1]).toFixed(1)}`;
  const write = options.write || (v => number(v));
  const parts = [];
  for (const y of ticks(y0, y1, 4)) parts.push(
    svg("line", {class: "grid", x1: left, x2: right, y1: sy(y), y2: sy(y)}),
    svg("text", {x: left - 6, y: sy(y) + 4, "text-anchor": "end"}, write(y)));
  for (const x of ticks(x0, x1, wide ? 8 : 4)) if (!options.whole || Number.isInteger(x)) parts.push(
    svg("text", {x: sx(x), y: bottom + 16, "text-anchor": "middle"}, number(x)));
  if (options.across) parts.push(svg("text", {x: right, y: height - 2, "text-anchor": "end"}, options.across));
  series.forEach((s, i) => {
    if (!s.points.length) return;
    if (s.band && s.band.length > 1) parts.push(svg("polygon", {class: `band ${colour(i)}`,
      points: [...s.band.map(b => at([b[0], b[2]])), ...[...s.band].reverse().map(b => at([b[0], b[1]]))].join(" ")}));
    parts.push(svg("polyline", {class: `line ${colour(i)}`, points: s.points.map(at).join(" ")}));
    if (s.marked || s.points.length === 1) for (const p of s.points)
      parts.push(svg("circle", {class: `dot ${colour(i)}`, cx: sx(p[0]), cy: sy(p[1]), r: 3.5}));
  });
  const ends = series.map(s => new Map((s.band || []).map(b => [b[0], ` (${write(b[1])}–${write(b[2])})`])));
  const places = [...new Set(xs)].sort((a, b) => a - b);
  places.forEach((x, i) => {
    const from = i ? (sx(places[i - 1]) + sx(x)) / 2 : left, to = i + 1 < places.length ? (sx(x) + sx(places[i + 1])) / 2 : right;
    const values = series.flatMap((s, i) => s.points.filter(p => p[0] === x).map(p => `${s.name ? s.name + " " : ""}${write(p[1])}${ends[i].get(x) || ""}`));
    parts.push(svg("rect", {class: "hit", x: from, y: top, width: Math.max(0.1, to - from), height: bottom - top,
      "data-values": `${options.across ? options.across + " " : ""}${number(x)}: ${values.join(", ")}`}));
  });
  return figure(title, svg("svg", {viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": title}, parts),
    options.keys === false ? null : key(series.map(s => s.name)));
}

// Points: [{name, x, y, ci, href}], x logarithmic where it spans more than a factor of 30.
function points(title, all, across, up) {
  const given = all.filter(p => known(p.x) && known(p.y));
  if (!given.length) return null;
  const width = 1040, height = 340, left = 46, right = width - 20, top = 14, bottom = height - 34;
  const xs = given.map(p => p.x), least = Math.min(...xs), most = Math.max(...xs), log = least > 0 && most / least > 30;
  const f = x => log ? Math.log10(x) : x;
  let x0 = f(least), x1 = f(most);
  const room = (x1 - x0) * 0.06 || Math.abs(x0) * 0.1 || 1;
  x0 -= room; x1 += room;
  const lows = given.map(p => p.ci ? p.ci[0] : p.y), y0 = Math.min(0, ...lows), y1 = Math.max(...given.map(p => p.ci ? p.ci[1] : p.y), 0.05);
  const sx = x => left + (f(x) - x0) / (x1 - x0) * (right - left), sy = y => bottom - (y - y0) / (y1 - y0) * (bottom - top);
  const parts = ticks(y0, y1, 4).flatMap(y => [svg("line", {class: "grid", x1: left, x2: right, y1: sy(y), y2: sy(y)}),
    svg("text", {x: left - 6, y: sy(y) + 4, "text-anchor": "end"}, percent(y, 0))]);
  const marks = log ? Array.from({length: 30}, (_, i) => 10 ** (i - 12)).filter(v => f(v) >= x0 && f(v) <= x1) : ticks(x0, x1, 7);
  for (const x of marks) if (log || x >= 0) parts.push(svg("text", {x: sx(x), y: bottom + 16, "text-anchor": "middle"}, number(x)));
  parts.push(svg("text", {x: right, y: height - 2, "text-anchor": "end"}, across));
  const taken = []; // names that would lie over others are left to the pointer
  given.forEach(p => {
    const i = all.indexOf(p), words = `${p.name}: ${up} ${percent(p.y)}${p.ci ? ` (${interval(p.ci)})` : ""}, ${across} ${number(p.x)}`;
    const x = sx(p.x), y = sy(p.y), flip = x > right - 150, box = [flip ? x - 150 : x, y];
    const free = taken.every(([a, b]) => Math.abs(a - box[0]) > 150 || Math.abs(b - box[1]) > 13);
    if (free) taken.push(box);
    const group = [p.ci && svg("line", {class: `whisker ${colour(i)}`, x1: x, x2: x, y1: sy(p.ci[0]), y2: sy(p.ci[1])}),
      svg("circle", {class: `dot ${colour(i)}`, cx: x, cy: y, r: 6}),
      free && svg("text", {class: "name", x: flip ? x - 10 : x + 10, y: y + 4, "text-anchor": flip ? "end" : "start"}, p.name.slice(0, 28))];
    parts.push(p.href ? svg("a", {href: p.href, "data-values": words}, group) : svg("g", {"data-values": words}, group));
  });
  return figure(title, svg("svg", {viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": title}, parts));
}
