// The overview of evaluations: scores with intervals, domains, a matrix, levels, costs, and what is missing.

const scoreOf = run => run.headline.score;
const runHref = (run, more) => address(["episodes"], {run: run.id, ...more});

page("overview", {
  title: "Overview",
  shown: m => m.runs.some(run => run.kind === "evaluation"),
  render(root) {
    const draw = () => { const top = scrollY; root.replaceChildren(...overview(evaluations()).flat(Infinity).filter(Boolean)); scrollTo(0, top); };
    draw();
    return {changed: draw};
  },
});

function overview(runs) {
  const suites = [...new Set(runs.map(run => run.suite ? run.suite.line.split(":")[0] : ""))];
  const one = runs.length === 1;
  return [
    el("h1", {}, one ? runs[0].label : `${runs.length} evaluations`),
    el("p", {class: "sub"}, one ? [runs[0].folder, runs[0].suite ? ` · ${runs[0].suite.line}` : ""].join("") : suites.filter(Boolean).join(", ")),
    (manifest.trouble || []).map(why => el("p", {class: "notice bad", role: "alert"}, why)),
    [...new Set(runs.flatMap(run => run.notes))].map(note => el("p", {class: "notice"}, note)),
    one && tiles(runs[0]),
    progressOf(runs),
    runs.length > 1 && [el("h2", {}, "Models"), modelsTable(runs)],
    headlineBars(runs),
    el("h2", {}, runs.length > 1 ? "Models and environments" : "Environments"), matrix(runs),
    levelCurves(runs),
    costs(runs),
    one && [el("h2", {}, "By environment"), environmentsTable(runs[0])],
    furtherFigures(runs),
  ];
}

function tiles(run) {
  const h = run.headline, corrected = run.corrected;
  const figures = [
    [corrected ? "score, corrected for chance" : "solve rate", percent(h.score)], ["95 % interval", interval(h.ci)],
    [corrected ? "solved" : "corrected for chance", percent(corrected ? h.solved : h.corrected_rate)],
    [`pass@${h.k}`, percent(h.pass_at_k)], ["turns an episode", number(h.turns)], ["tokens written an episode", count(h.written)],
    ["cost", known(h.cost) ? number(h.cost * h.episodes) : ""], ["seconds an episode", number(h.seconds)],
    ["episodes", count(h.episodes)], ["errors", h.errors ? count(h.errors) : ""],
  ];
  return el("div", {class: "tiles"}, figures.filter(f => f[1]).map(([name, value]) => el("div", {class: "tile"}, el("b", {}, value), el("span", {}, name))));
}

function progressOf(runs) {
  const open = runs.filter(run => known(run.progress.total) && run.progress.done < run.progress.total);
  return open.map(run => {
    const {done, total, failed, missing} = run.progress, left = total - done;
    const eta = manifest.served && run.rate ? `about ${duration(left / run.rate)} to go` : "";
    const words = [runs.length > 1 ? run.label : "", `${count(done)} of ${plural(total, "episode")} played`,
      failed ? `${count(failed)} failed` : "", eta].filter(Boolean).join(" · ");
    const list = missing.slice(0, 8).map(m => `${m.name} ${count(m.count)}`).join(", ");
    return el("div", {class: "notice progress", role: "status"}, el("div", {}, words),
      el("progress", {max: total, "aria-label": words, value: done}),
      el("small", {}, `Missing: ${list}${missing.length > 8 ? ` and ${missing.length - 8} more` : ""}. The same command in the same folder plays them.`));
  });
}

const FIGURES = [
  {name: "solved", title: "Share of episodes solved", of: h => h.solved, write: v => percent(v)},
  {name: "pass@k", of: h => h.pass_at_k, write: (v, h) => `${percent(v)} (k=${h.k})`},
  {name: "pass^k", of: h => h.pass_hat_k, write: (v, h) => `${percent(v)} (k=${h.k})`},
  {name: "chance", title: "Solve rate of the random agent", of: h => h.chance, write: v => percent(v)},
  {name: "turns", title: "Turns an episode", of: h => h.turns, write: v => number(v)},
  {name: "tokens", title: "Tokens written an episode", of: h => h.written || null, write: v => count(v)},
  {name: "cost", title: "Cost of all episodes", of: h => known(h.cost) ? h.cost * h.episodes : null, write: v => number(v)},
  {name: "seconds", title: "Seconds an episode at the endpoint", of: h => h.seconds, write: v => number(v)},
  {name: "truncated", title: "Episodes ended by the turn limit", of: h => h.truncated || null, write: v => percent(v)},
  {name: "cut", title: "Turns cut by a token limit", of: h => h.cut || null, write: v => percent(v)},
  {name: "format errors", title: "Turns that were malformed or illegal", of: h => h.format_errors || null, write: v => percent(v)},
  {name: "refused", title: "Episodes with a refusal", of: h => h.refused || null, write: v => percent(v)},
  {name: "errors", title: "Episodes whose infrastructure failed; not scored", of: h => h.errors || null, write: v => count(v)},
  {name: "episodes", of: h => h.episodes, write: v => count(v)},
];
const figureColumns = of => FIGURES.map(f => ({name: f.name, title: f.title,
  cell: row => { const h = of(row), v = f.of(h); return known(v) ? f.write(v, h) : ""; }, value: row => { const v = f.of(of(row)); return known(v) ? v : null; }}));
const scoreColumns = (of, name) => [
  {name, cell: row => percent(of(row).score), value: row => of(row).score ?? null},
  {name: "95 % interval", cell: row => interval(of(row).ci)},
];

function modelsTable(runs) {
  const rows = [...runs].sort((a, b) => (scoreOf(b) ?? -2) - (scoreOf(a) ?? -2)).map(run => ({run, href: runHref(run)}));
  const several = new Set(runs.map(run => run.suite ? run.suite.name : "")).size > 1;
  return table([
    {name: "model", figure: false, cell: r => r.run.label, value: r => r.run.label},
    several && {name: "suite", figure: false, cell: r => r.run.suite ? r.run.suite.name : "", value: r => r.run.suite ? r.run.suite.name : ""},
    ...scoreColumns(r => r.run.headline, runs.some(run => run.corrected) ? "score" : "solve rate"),
    ...figureColumns(r => r.run.headline).filter(c => c.name !== "solved" || runs.some(run => run.corrected)),
  ].filter(Boolean), rows);
}

function environmentsTable(run) {
  const rows = run.domains.flatMap(domain => [
    run.domains.length > 1 && {part: domain, name: domain.name, kind: "group"},
    ...run.environments.filter(env => domain.envs.includes(env.env)).map(env => ({part: env, name: env.name, href: runHref(run, {env: env.env.split(":")[0]})})),
  ]).filter(Boolean);
  return table([
    {name: "environment", figure: false, cell: r => r.name},
    ...scoreColumns(r => r.part, run.corrected ? "score" : "solve rate").map(c => ({...c, value: null})),
    ...figureColumns(r => r.part).filter(c => c.name !== "solved" || run.corrected).map(c => ({...c, value: null})),
  ], rows);
}

function headlineBars(runs) {
  const names = [...new Set(runs.flatMap(run => run.domains.map(d => d.name)))];
  const part = p => p && known(p.score) ? {value: p.score, ci: p.ci, words: p.episodes ? `, ${plural(p.episodes, "episode")}` : ""} : null;
  const rows = [{name: runs.some(r => r.corrected) ? "headline" : "mean over environments", strong: true, bars: runs.map(run => part(run.headline))},
    ...(names.length > 1 ? names : []).map(name => ({name, bars: runs.map(run => part(run.domains.find(d => d.name === name)))}))];
  const kind = runs.some(r => r.corrected) ? "Score by domain, corrected for chance, with 95 % intervals" : "Solve rate by family, with 95 % intervals";
  return bars(kind, runs.map(run => run.label), rows);
}

// Environments down, models across; a cell leads to its episodes.
function matrix(runs) {
  const envs = new Map();
  for (const run of runs) for (const env of run.environments) if (!envs.has(env.env)) envs.set(env.env, env);
  const groups = new Map();
  for (const env of envs.values()) groups.set(env.domain, [...(groups.get(env.domain) || []), env]);
  const cell = (run, env) => {
    const found = run.environments.find(e => e.env === env.env);
    if (!found || !known(found.score)) return el("td", {class: "heat none"}, "");
    const share = Math.max(0, Math.min(1, found.score));
    return el("td", {class: "heat", style: `--heat:${(100 * share).toFixed(0)}%`, "data-values": `${run.label}, ${env.name}: ${percent(found.score)} (${interval(found.ci)})`},
      el("a", {href: runHref(run, {env: env.env.split(":")[0]}), "aria-label": `${run.label}, ${env.name}: ${percent(found.score)}`}, percent(found.score)));
  };
  const head = runs.length > 1 && el("thead", {}, el("tr", {}, el("th", {}, ""), runs.map(run => el("th", {scope: "col", title: run.label}, run.label))));
  const body = [...groups].map(([name, members]) => el("tbody", {},
    groups.size > 1 && el("tr", {class: "group"}, el("th", {colspan: runs.length + 1}, name || "other")),
    members.map(env => el("tr", {}, el("th", {scope: "row"}, env.name), runs.map(run => cell(run, env))))));
  return el("figure", {class: "card chart matrix" + (runs.length === 1 ? " columns" : "")}, el("figcaption", {}, el("output")), el("div", {class: "scroll"}, el("table", {}, head, body)));
}

function levelCurves(runs) {
  const levels = new Set(runs.flatMap(run => run.levels.map(l => l.level)));
  if (levels.size < 2) return null;
  const series = (run, parts) => {
    const given = parts.filter(p => known(p.score)).sort((a, b) => a.level - b.level);
    return {name: run.label, marked: true, points: given.map(p => [p.level, p.score]), band: given.filter(p => p.ci).map(p => [p.level, ...p.ci])};
  };
  const options = {top: 1, write: v => percent(v, 0), across: "level", whole: true};
  const whole = lines("All environments", runs.map(run => series(run, run.levels)), {...options, wide: true});
  const envs = new Map();
  for (const run of runs) for (const cell of run.cells) if (cell.level !== null) envs.set(cell.env, cell.name);
  const small = [...envs].map(([env, name]) => {
    const found = runs.map(run => series(run, run.cells.filter(cell => cell.env === env && cell.level !== null)));
    return found.some(s => s.points.length > 1) ? lines(name, found, {...options, keys: false}) : null;
  }).filter(Boolean);
  return [el("h2", {}, "Levels"), whole, el("div", {class: "charts"}, small)];
}

function costs(runs) {
  const of = [["cost", h => known(h.cost) ? h.cost * h.episodes : null, "cost of all episodes"],
    ["tokens", h => h.written || null, "tokens written an episode"], ["seconds", h => h.seconds, "seconds an episode"],
    ["turns", h => h.turns, "turns an episode"]];
  const parts = runs.length > 1 ? runs.map(run => ({name: run.label, part: run.headline, href: runHref(run)}))
    : runs[0].environments.map(env => ({name: env.name, part: env, href: runHref(runs[0], {env: env.env.split(":")[0]})}));
  const found = of.find(([, value]) => parts.filter(p => known(value(p.part)) && known(p.part.score)).length > 1);
  if (!found) return null;
  const chart = points(`Score and ${found[0]}`, parts.map(p => ({name: p.name, x: found[1](p.part), y: p.part.score, ci: p.part.ci, href: p.href})), found[2], "score");
  return chart && [el("h2", {}, `Score and ${found[0]}`), chart];
}
