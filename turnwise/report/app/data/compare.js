// Two evaluations of the same tasks: differences with intervals, and the tasks that differ.

page("compare", {
  title: "Compare",
  shown: m => m.runs.filter(run => run.kind === "evaluation").length > 1,
  render(root, [a, b]) {
    const runs = evaluations(), ids = runs.map(run => run.id);
    const before = ids.includes(Number(a)) && a !== undefined ? Number(a) : ids[0];
    const after = ids.includes(Number(b)) && b !== undefined ? Number(b) : ids.find(id => id !== before);
    const choose = (own, other, words) => el("label", {}, words, " ", el("select", {onchange: event => {
      const value = Number(event.target.value);
      go(["compare", ...(own === before ? [value, value === after ? before : after] : [value === before ? after : before, value])]);
    }}, runs.map(run => el("option", {value: run.id, selected: run.id === own}, run.label))));
    root.append(el("h1", {}, "Compare"), el("div", {class: "filter"}, choose(before, after, "before"), choose(after, before, "after"),
      el("button", {onclick: () => go(["compare", after, before])}, "swap")));
    let gone = false;
    (async () => {
      const found = await loadJson(`all/pair${before}-${after}`).catch(() => ({none: "this page does not have the comparison; `turnwise compare` makes it"}));
      if (gone) return;
      if (found.none) root.append(el("p", {class: "notice"}, found.none));
      else root.append(...compared(found, before, after).flat(Infinity).filter(Boolean));
      root.dataset.ready = "yes";
    })().catch(error => root.append(trouble(error)));
    return {leave() { gone = true; }};
  },
});

const pValue = p => p < 0.0001 ? "< 0.0001" : String(Number(p.toPrecision(2)));

function compared(found, before, after) {
  const d = found.overall, rows = [{name: "all", d, strong: true}];
  for (const [kind, members] of Object.entries(found.parts))
    for (const [name, part] of Object.entries(members)) rows.push({name: kind === "level" ? `level ${name}` : shortEnv(name), kind, d: part});
  const figures = [["before", percent(d.before)], ["after", percent(d.after)], ["difference", signed(d.value)],
    ["95 % interval", `${signed(d.ci95[0])} to ${signed(d.ci95[1])}`], ["tasks better / worse", `${count(d.better)} / ${count(d.worse)}`], ["McNemar p", pValue(d.p_value)]];
  return [
    el("p", {class: "verdict"}, found.verdict),
    el("div", {class: "tiles"}, figures.map(([name, value]) => el("div", {class: "tile"}, el("b", {}, value), el("span", {}, name)))),
    found.remarks.map(words => el("p", {class: "notice"}, words)),
    el("h2", {}, "Differences"), differences(rows), differencesTable(rows),
    Object.keys(found.settings).length > 0 && [el("h2", {}, "Settings that differ"), table([
      {name: "setting", figure: false, cell: r => r[0]}, {name: "before", figure: false, cell: r => written(r[1][0])}, {name: "after", figure: false, cell: r => written(r[1][1])}], Object.entries(found.settings))],
    found.figures.length > 0 && [el("h2", {}, "Other figures"), table([{name: "", figure: false, always: true, cell: r => r[0]}, {name: "before", cell: r => r[1]}, {name: "after", cell: r => r[2]}], found.figures)],
    flips(found, before, after),
  ];
}
const written = value => value === null || value === undefined ? "—" : typeof value === "string" ? value : JSON.stringify(value);

// A line for each part: the difference and its interval, around zero.
function differences(rows) {
  const most = Math.max(0.02, ...rows.flatMap(r => r.d.ci95.map(Math.abs))), at = v => 50 + 50 * v / most;
  return el("figure", {class: "card chart"}, el("figcaption", {}, el("b", {}, "After − before, in points, with 95 % intervals"), el("output")),
    el("div", {class: "bars differences"}, rows.map(({name, d, strong}) => el("div", {class: "bar-row" + (strong ? " strong" : "")}, el("span", {class: "bar-name"}, name),
      el("div", {class: "bar diff", "data-values": `${name}: ${signed(d.value)} (${signed(d.ci95[0])} to ${signed(d.ci95[1])})`},
        el("i", {class: "zero"}), el("i", {class: "range " + (d.ci95[0] > 0 ? "good" : d.ci95[1] < 0 ? "bad" : ""), style: `left:${at(d.ci95[0])}%;width:${at(d.ci95[1]) - at(d.ci95[0])}%`}),
        el("i", {class: "point", style: `left:${at(d.value)}%`})), el("span", {class: "bar-number"}, signed(d.value))))));
}
function differencesTable(rows) {
  return el("details", {class: "card side"}, el("summary", {}, el("h2", {}, "As a table")), table([
    {name: "", figure: false, always: true, cell: r => r.name, value: r => r.name}, {name: "before", cell: r => percent(r.d.before), value: r => r.d.before},
    {name: "after", cell: r => percent(r.d.after), value: r => r.d.after}, {name: "difference", cell: r => signed(r.d.value), value: r => r.d.value},
    {name: "95 % interval", cell: r => `${signed(r.d.ci95[0])} to ${signed(r.d.ci95[1])}`}, {name: "better", cell: r => count(r.d.better), value: r => r.d.better},
    {name: "worse", cell: r => count(r.d.worse), value: r => r.d.worse}, {name: "tasks", cell: r => count(r.d.tasks), value: r => r.d.tasks},
    {name: "McNemar p", cell: r => pValue(r.d.p_value), value: r => r.d.p_value}], rows));
}
function flips(found, before, after) {
  if (!found.flips.length) return [el("h2", {}, "Tasks that differ"), el("p", {class: "sub"}, "None.")];
  const rows = [...found.flips].sort((a, b) => (a.after - a.before) - (b.after - b.before)).slice(0, 500);
  const open = flip => ({env: flip.env.split(":")[0], seed: flip.seed, level: (flip.env.match(/[:,]difficulty=(\d+)/) || [])[1]});
  return [el("h2", {}, `Tasks that differ: ${count(found.flips.length)}`), found.flips.length > rows.length && el("p", {class: "sub"}, `The first ${rows.length}; the list of episodes shows all with the filter "flipped between models".`),
    table([{name: "task", figure: false, cell: r => shortEnv(r.env), value: r => r.env}, {name: "seed", cell: r => r.seed},
      {name: "solved before", cell: r => percent(r.before, 0), value: r => r.before}, {name: "after", cell: r => percent(r.after, 0), value: r => r.after},
      {name: "change", cell: r => badge(r.after > r.before ? "better" : "worse", r.after > r.before ? "good" : "bad"), value: r => r.after - r.before}],
      rows.map(flip => ({...flip, href: address(["episodes"], open(flip))})))];
}
