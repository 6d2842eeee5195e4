// Training runs: what they learned in one look, curves, where the seconds went, comparisons over seeds, and sample
// episodes whose tokens are coloured by what the trainer saw in them.

{
const trainings = () => manifest.runs.filter(run => run.kind === "training");
const MOST_STORIES = 6; // tasks that are told one by one; of more there is a table
const MOST_EVALUATIONS = 8; // columns of a table
const trainingHref = (run, ...more) => address(["training", run.id, ...more]);
const rate = ([value, low, high]) => known(value) ? `${percent(value)} %${known(low) ? ` (${percent(low)}–${percent(high)})` : ""}` : "";
const sampleHref = (run, g) => trainingHref(run, g.step, `${g.split}-${g.group}`);
const small = v => v && Math.abs(v) < 1e-3 ? v.toExponential(1) : number(v);
const band = points => points.filter(p => known(p[2])).map(p => [p[0], p[2], p[3]]);
const line2 = (name, points, more) => ({name, points: points.filter(p => known(p[1])).map(p => [p[0], p[1]]), band: band(points), ...more});
const sampledOf = run => run.tests.map(t => [t[0], t[1], t[2], t[3]]);
const greedyOf = run => run.tests.map(t => [t[0], t[4], t[5], t[6]]);
const firstTest = run => run.tests.length ? run.tests[0].slice(1, 4) : [null, null, null];
const lastTest = run => run.tests.length ? run.tests[run.tests.length - 1].slice(1, 4) : [null, null, null];
const tested = run => run.tests.length ? run.tests[run.tests.length - 1][0] : 0; // steps of its last evaluation
const pointsChange = run => run.tests.length > 1 ? lastTest(run)[0] - firstTest(run)[0] : null;
const byTask = runs => { const found = new Map(); for (const run of runs) found.set(run.task_key, [...(found.get(run.task_key) || []), run]); return [...found.values()]; };

page("training", {
  title: "Training",
  shown: m => m.runs.some(run => run.kind === "training"),
  render(root, parts) {
    const run = parts.length ? trainings().find(r => String(r.id) === parts[0]) : null;
    const draw = parts.length > 1 && run ? () => groupPage(root, run, parts.slice(1)) : run ? () => runPage(root, run.id)
      : trainings().length === 1 ? () => runPage(root, trainings()[0].id) : () => overviewOfTraining(root);
    const own = draw() || {};
    const changed = old => {
      if (run && old.runs[run.id] && old.runs[run.id].data === manifest.runs[run.id].data) return;
      root.replaceChildren();
      delete root.dataset.ready;
      draw();
    };
    return {keys: own.keys, changed: parts.length > 1 ? () => {} : changed};
  },
});

// ---- overview: the story of each task, comparisons, all runs --------------------------------------------------------

function overviewOfTraining(root) {
  const runs = trainings(), tasks = byTask(runs), subjects = runs.filter(run => !run.control);
  root.append(el("h1", {}, "Training"), el("p", {class: "sub"}, `${plural(runs.length, "run")} on ${plural(tasks.length, "task")}`
    + (subjects.length < runs.length ? `; ${plural(runs.length - subjects.length, "control")} among them, whose rewards are shuffled so that there is nothing to learn` : "")));
  const told = tasks.filter(own => own.some(run => !run.control));
  const few = told.length <= MOST_STORIES && subjects.length <= 2 * MOST_STORIES, place = el("div");
  if (few) root.append(...told.map(story));
  root.append(place);
  if (!few || subjects.length > told.length) loadJson(manifest.served ? `all/trainings${manifest.state}` : "all/trainings").then(found => place.append(...comparisons(found)), () => {});
  root.append(el("h2", {}, "Runs"), runsTable(runs));
  root.dataset.ready = "yes";
}

// One task: before, after, the control, the curve, and the same test task played before and after.
function story(runs) {
  const main = runs.find(run => !run.control), controls = runs.filter(run => run.control);
  const others = runs.filter(run => run !== main && !run.control);
  const end = lastTest(main), change = pointsChange(main);
  const series = [line2("trained", sampledOf(main), {marked: true}),
    ...controls.map(run => line2("control", sampledOf(run), {marked: true}))];
  const verdictOf = () => {
    if (change === null) return "one evaluation so far";
    const [, , high] = firstTest(main), [, low] = end;
    return low > high ? "it learned" : change > 0 ? "no clear rise yet" : "it did not learn";
  };
  const figure = (words, of, look) => el("div", {class: `tile ${look || ""}`}, el("b", {}, known(of[0]) ? `${percent(of[0], 0)} %` : "–"),
    el("span", {}, words), known(of[1]) && el("span", {class: "ends"}, ` · ${percent(of[1], 0)}–${percent(of[2], 0)} %`));
  const place = el("div", {class: "tale"});
  const made = el("section", {class: "story"},
    el("h2", {}, el("a", {href: trainingHref(main)}, main.task), " ", badge(verdictOf(), verdictOf() === "it learned" ? "good" : "warn")),
    el("p", {class: "sub"}, `Solve rate on test tasks that training never shows, with 95 % intervals: before the first step and after ${plural(tested(main), "step")}`
      + (controls.length ? "; the control's rewards are shuffled, so that there is nothing to learn" : "") + "."),
    el("div", {class: "tiles"}, figure("before", firstTest(main)), figure(`after ${plural(tested(main), "step")}`, end, "after"),
      controls.map(run => figure(`control, after ${plural(tested(run), "step")}`, lastTest(run))),
      main.seconds ? el("div", {class: "tile"}, el("b", {}, duration(main.seconds)), el("span", {}, "in training steps")) : null),
    el("div", {class: "story-parts"}, lines("Test solve rate, sampled", series, {top: 1, write: v => percent(v, 0), across: "step"}), place),
    others.length ? el("p", {class: "sub"}, "Also: ", others.map((run, i) => [i ? ", " : "", el("a", {href: trainingHref(run)}, run.label)])) : null);
  if (main.story) loadJson(`${main.id}/${main.story}`).then(([before, after]) => place.append(...tale(main, before, after)), () => {});
  return made;
}
function tale(run, before, after) {
  const side = (record, words) => el("div", {class: "tale-side"}, el("div", {class: "row"}, el("b", {}, words),
    badge(record.solved ? "solved" : record.truncated ? "truncated" : "failed", record.solved ? "good" : "bad")), brief(record),
    el("a", {class: "small", href: sampleHref(run, record)}, "this episode"));
  const why = !before.solved && after.solved ? "failed before and solved after" : "the same in both evaluations";
  return [side(before, "Before"), side(after, `After ${plural(after.step, "step")}`),
    el("p", {class: "small soft"}, `One of the few test tasks whose episodes are kept, chosen because it was ${why}; the rates are of all test tasks.`)];
}
// An episode in as many lines as it has turns.
function brief(record) {
  const cut = text => text.length > 200 ? text.slice(0, 200) + " …" : text;
  const reply = i => i + 1 < record.turns.length ? record.turns[i + 1].observation : record.final_observation;
  return el("div", {class: "brief"}, record.turns.length ? said(record.turns[0].observation, {}) : null,
    record.turns.map((turn, i) => el("p", {class: "exchange"}, el("b", {}, cut(turn.action) || "(nothing)"), el("span", {}, cut(reply(i))))), record.error && failure(record.error));
}
const said = (text, drawing) => el("div", {class: "msg"}, el("div", {class: "body"}, environmentText(text, drawing)));
const failure = text => el("div", {class: "msg error"}, el("small", {}, "error: this rollout is not counted"), el("pre", {}, text));

// The folder of a run without what those of all runs begin with.
function folderOf(run) {
  const all = trainings().map(r => r.folder.split("/")), own = run.folder.split("/");
  let shared = 0;
  while (shared < own.length - 1 && all.every(parts => parts[shared] === own[shared])) shared++;
  return own.slice(shared).join("/");
}
function runsTable(runs) {
  const tasks = byTask(runs), several = tasks.length > 1 && tasks.length < runs.length;
  const rows = tasks.flatMap(own => [...(several ? [{kind: "group", task: own[0].task}] : []), ...own.map(run => ({run, href: trainingHref(run)}))]);
  const column = (name, words, more) => ({name, cell: r => r.run ? words(r.run) : "", value: several ? null : r => words(r.run), ...more});
  const fact = name => column(name.replaceAll("_", " "), run => new Set(runs.map(r => r.facts[name])).size > 1 ? run.facts[name] || "" : "", {figure: false});
  const sorted = value => several ? {} : {value: r => value(r.run)};
  return table([
    {name: "run", figure: false, cell: r => r.run ? folderOf(r.run) : r.task, ...sorted(run => run.folder)},
    !several && column("task", run => tasks.length > 1 ? run.task : "", {figure: false}),
    ...["credit", "loss", "curriculum", "model", "lr", "seed"].map(fact),
    column("control", run => run.control ? "shuffled rewards" : "", {figure: false}),
    column("steps", run => run.planned && run.steps < run.planned ? `${count(run.steps)} of ${count(run.planned)}` : count(run.steps), sorted(run => run.steps)),
    column("before", run => percent(firstTest(run)[0]), sorted(run => firstTest(run)[0])), column("after", run => percent(lastTest(run)[0]), sorted(run => lastTest(run)[0])),
    column("95 % interval", run => known(lastTest(run)[1]) ? interval(lastTest(run).slice(1)) : "", {value: null}),
    column("change", run => signed(pointsChange(run)), {title: "in points", ...sorted(pointsChange)}),
    column("time in steps", run => run.seconds ? duration(run.seconds) : "", sorted(run => run.seconds)),
    column("tokens/s", run => count(run.tokens_per_s), sorted(run => run.tokens_per_s)),
    column("GB", run => number(run.gpu_memory_gb || run.memory_gb, 2), sorted(run => run.gpu_memory_gb || run.memory_gb)),
  ].filter(Boolean), rows);
}

// ---- comparison over seeds ------------------------------------------------------------------------------------------

function comparisons({settings, scopes}) {
  const found = [];
  const tasks = [...new Set(settings.map(s => s.task))];
  const curves = tasks.map(task => {
    const own = settings.filter(s => s.task === task && s.curve.length);
    return own.length ? lines(task, own.map(s => line2(s.name, s.curve, {marked: true})), {wide: tasks.length === 1, top: 1, write: v => percent(v, 0), across: "step"}) : null;
  }).filter(Boolean);
  const seeds = Math.max(...settings.map(s => s.runs.length), 0);
  if (settings.length > 1 || seeds > 1) {
    found.push(el("h2", {}, "By setting"), el("p", {class: "sub"}, "Test solve rate, sampled: interquartile mean over seeds and its 95 % interval, where a setting has several seeds."),
      el("div", {class: tasks.length > 1 ? "charts" : ""}, curves), settingsTable(settings));
  }
  const across = scopes.filter(scope => scope.tasks.length > 1), single = scopes.filter(scope => scope.tasks.length === 1);
  const own = single.flatMap(comparison);
  return [...across.flatMap(comparison), ...found, ...(single.length > 1 ? [el("details", {class: "fold"}, el("summary", {}, el("b", {}, "Compared on each task")), own)] : own)];
}
function settingsTable(settings) {
  const several = new Set(settings.map(s => s.task)).size > 1;
  const figure = (name, words) => ({name, cell: s => words(s) ?? "", value: several ? null : s => words(s)});
  const rows = several ? settings.flatMap((s, i) => [...(i && settings[i - 1].task === s.task ? [] : [{kind: "group", name: s.task}]), s]) : settings;
  const of = words => s => s.kind === "group" ? "" : words(s);
  return table([
    {name: "setting", figure: false, cell: s => s.name + (s.control ? " (control)" : ""), value: several ? null : s => s.name},
    {name: "seeds", cell: of(s => s.runs.map((id, i) => [i ? ", " : "", el("a", {href: trainingHref(trainings()[id])}, s.seeds[i])]))},
    figure("before", of(s => percent(s.before[0]))), figure("after", of(s => percent(s.after[0]))),
    {name: "95 % interval", cell: of(s => known(s.after[1]) ? interval(s.after.slice(1)) : "")},
    figure("greedy", of(s => percent(s.greedy[0]))),
    {name: "steps", cell: of(s => s.steps.length > 1 ? `${s.steps[0]}–${s.steps[s.steps.length - 1]}` : count(s.steps[0]))},
    {name: "turns played", cell: of(s => count(s.played))},
  ], rows);
}
function comparison(scope) {
  const title = scope.tasks.length > 1 ? `Compared over ${scope.tasks.length} tasks` : `Compared: ${scope.tasks[0]}`;
  const part = v => known(v[0]) ? {value: v[0], ci: known(v[1]) ? v.slice(1) : null} : null;
  const aggregate = name => bars(`${name}, 95 % interval`, [""],
    scope.settings.map((setting, i) => ({name: `${setting} (${plural(scope.runs[i], "run")})`, bars: [part(scope.aggregates[name][i])]})));
  const shownAggregates = scope.tasks.length > 1 ? Object.keys(scope.aggregates) : ["IQM"];
  const profiles = lines("Share of runs above a solve rate, tasks weighing the same", scope.settings.map((name, i) =>
    ({name, points: scope.profiles[i].map(p => [p[0], p[1]]), band: band(scope.profiles[i])})), {top: 1, write: v => percent(v, 0), across: "solve rate", wide: true});
  const pairs = scope.pairs.length ? table([
    {name: "setting", figure: false, cell: p => p.of, value: p => p.of}, {name: "over", figure: false, cell: p => p.over, value: p => p.over},
    {name: "probability of improvement", cell: p => `${percent(p.value[0], 0)} %`, value: p => p.value[0]},
    {name: "95 % interval", cell: p => `${percent(p.value[1], 0)}–${percent(p.value[2], 0)}`},
    {name: "verdict", figure: false, cell: p => p.value[1] > 0.5 ? "better" : p.value[2] < 0.5 ? "worse" : "not distinguishable"},
  ], scope.pairs) : null;
  return [el("h2", {}, title), scope.tasks.length > 1 ? el("p", {class: "sub"}, scope.tasks.join(" · ")) : null,
    el("div", {class: "charts"}, shownAggregates.map(aggregate)), scope.tasks.length > 1 ? profiles : null,
    pairs && el("details", {class: "fold", open: scope.tasks.length > 1 || scope.pairs.length < 8}, el("summary", {}, "Probability that a run of one setting scores higher than a run of another"), pairs)].filter(Boolean);
}

// ---- a run ----------------------------------------------------------------------------------------------------------

function runPage(root, id) {
  const run = manifest.runs[id], scroll = window.scrollY;
  const place = el("div");
  root.append(el("h1", {}, run.task), el("p", {class: "sub"}, [run.label, ...Object.entries(run.facts).map(([k, v]) => `${k.replaceAll("_", " ")} ${v}`)].join(" · ")), place);
  const tile = (value, words) => value ? el("div", {class: "tile"}, el("b", {}, value), el("span", {}, words)) : null;
  place.append(el("div", {class: "tiles"}, [
    tile(known(firstTest(run)[0]) ? `${percent(firstTest(run)[0])} %` : "", "test solve rate, before"),
    tile(run.tests.length > 1 ? `${percent(lastTest(run)[0])} %` : "", `after ${plural(tested(run), "step")}`),
    tile(run.planned && run.steps < run.planned ? `${count(run.steps)} of ${count(run.planned)}` : count(run.steps), "steps"),
    tile(run.seconds ? duration(run.seconds) : "", "in training steps"), tile(count(run.tokens_per_s), "sampled tokens a second"),
    tile(run.memory_gb ? `${number(run.memory_gb, 3)} GB` : "", "most memory of the process"), tile(run.gpu_memory_gb ? `${number(run.gpu_memory_gb, 3)} GB` : "", "most GPU memory"),
    tile(run.errors ? count(run.errors) : "", "rollouts that failed")].filter(Boolean)));
  loadJson(`${id}/${run.data}`).then(data => {
    place.append(...runParts(run, data).filter(Boolean));
    root.dataset.ready = "yes";
    window.scrollTo(0, scroll);
  }).catch(error => place.append(trouble(error)));
}
function runParts(run, data) {
  const controls = trainings().filter(other => other.control && !run.control && other.task_key === run.task_key);
  const of = name => data.tests.map(t => [t.step, ...t[name]]);
  const curve = lines("Solve rate, with 95 % intervals", [
    line2("test, sampled", of("sampled"), {marked: true}), line2("test, greedy", of("greedy"), {marked: true}), metric("training, sampled", data.solved),
    ...controls.map(other => line2(`control (${other.label})`, sampledOf(other), {marked: true})),
  ].filter(s => s.points.length), {wide: true, top: 1, write: v => percent(v, 0), across: "step"});
  const arms = Object.entries(data.arms);
  const armChart = kind => arms.length ? lines(`Test solve rate by environment, ${kind}`, arms.map(([label, tests]) => line2(label, tests.map(t => [t.step, ...t[kind]]), {marked: true})), {top: 1, write: v => percent(v, 0), across: "step", wide: true}) : null;
  const chart = c => lines(c.title, c.series.map(s => metric(s.name, s)), {across: "step", write: small});
  return [el("h2", {}, "Learning curve"), curve || el("p", {class: "sub"}, "No evaluation and no step so far."),
    data.tests.length ? testsTable(data.tests) : null,
    ...(arms.length ? [el("h2", {}, "By environment of the mixture"), armChart("sampled"), armChart("greedy")] : []),
    Object.keys(data.seconds).length ? el("h2", {}, "Where the seconds went") : null, secondsBar(data.seconds),
    el("div", {class: "charts"}, data.speed.map(chart)),
    data.charts.length ? el("h2", {}, "Training steps") : null, el("p", {class: "sub"}, "Of many steps, moving means with the 95 % interval of the mean."), el("div", {class: "charts"}, data.charts.map(chart)),
    ...samplesList(run, data.samples),
    el("h2", {}, "Settings"), el("details", {class: "fold"}, el("summary", {}, "config.json"), el("pre", {}, data.config)),
    data.origin ? el("details", {class: "fold"}, el("summary", {}, "run.json"), el("pre", {}, data.origin)) : null];
}
// A metric's moving mean with its band; the points themselves where they are few.
function metric(name, curve) {
  return curve.band.length ? {name, points: curve.band.map(b => [b[0], b[1]]), band: curve.band.map(b => [b[0], b[2], b[3]])} : {name, points: curve.points};
}
function testsTable(tests) {
  return table([
    {name: "after step", cell: t => count(t.step) || "0", value: t => t.step, always: true},
    {name: "sampled", cell: t => percent(t.sampled[0])}, {name: "95 % interval", cell: t => known(t.sampled[1]) ? interval(t.sampled.slice(1)) : ""},
    {name: "greedy", cell: t => percent(t.greedy[0])}, {name: "95 % interval", cell: t => known(t.greedy[1]) ? interval(t.greedy.slice(1)) : ""},
    {name: "return", cell: t => number(t.sampled_return)}, {name: "turns", cell: t => number(t.sampled_turns)}, {name: "tokens", cell: t => number(t.sampled_tokens)},
    {name: "errors", cell: t => t.sampled_errors || t.greedy_errors ? count((t.sampled_errors || 0) + (t.greedy_errors || 0)) : ""},
  ], tests);
}
function secondsBar(seconds) {
  const parts = Object.entries(seconds).filter(([, s]) => s > 0).sort((a, b) => b[1] - a[1]), total = parts.reduce((sum, [, s]) => sum + s, 0);
  if (!total) return null;
  return figure(`${duration(total)} in all`, el("div", {}, el("div", {class: "stack"}, parts.map(([name, s], i) =>
    el("i", {class: colour(i), style: `flex-grow:${s / total}`, "data-values": `${name}: ${duration(s)}, ${percent(s / total)} %`}))),
    el("div", {class: "stack-keys"}, parts.filter(([, s]) => s >= total / 200).map(([name, s], i) => el("span", {class: "key"}, el("i", {class: `swatch ${colour(i)}`}), `${name} ${percent(s / total, 0)} %`)))));
}
function samplesList(run, samples) {
  const groups = samples.flatMap(s => s.groups.map(g => ({...g, step: s.step})));
  if (!groups.length) return [];
  const rollouts = groups.filter(g => g.split === "train"), tests = groups.filter(g => g.split === "test");
  const title = g => g.head.split("\n")[0].slice(0, 100) || shortEnv(g.env);
  const learned = rollouts.length ? [el("h3", {}, "Training"), el("p", {class: "sub"}, "All rollouts of a task. Tasks whose rollouts differ come first, since the others teach nothing, so the solve rate here is not that of the run."), table([
    {name: "step", cell: g => String(g.step), value: g => g.step, always: true},
    {name: "task", figure: false, cell: g => el("a", {href: sampleHref(run, g)}, title(g)), value: g => g.head},
    {name: "solved", cell: g => `${g.solved} of ${g.size}`, value: g => g.solved / g.size},
    {name: "returns", figure: false, cell: g => el("span", {class: "returns"}, g.returns.map(r => el("i", {class: r === null ? "none" : "", style: r === null ? "" : `--share:${100 * Math.max(0, Math.min(1, r))}%`, title: r === null ? "error" : number(r)})))},
  ], rollouts)] : [];
  const every = [...new Set(tests.map(g => g.step))], most = Math.min(MOST_EVALUATIONS, every.length);
  const steps = Array.from({length: most}, (_, i) => every[Math.floor(i * (every.length - 1) / Math.max(1, most - 1))]);
  const names = [...new Set(tests.map(g => g.group))], at = (name, step) => tests.find(g => g.group === name && g.step === step);
  const evaluated = tests.length ? [el("h3", {}, "Evaluations"), el("p", {class: "sub"}, "The first test tasks, the same each time, sampled."), table([
    {name: "task", figure: false, cell: name => title(tests.find(g => g.group === name))},
    ...steps.map(step => ({name: step ? `after step ${step}` : "before", cell: name => { const g = at(name, step); return g ? el("a", {href: sampleHref(run, g)}, badge(g.solved ? "solved" : "not solved", g.solved ? "good" : "bad")) : ""; }})),
  ], names)] : [];
  return [el("h2", {}, "Sample episodes"), ...learned, ...evaluated];
}

// ---- a group of rollouts, side by side ------------------------------------------------------------------------------

// What the tokens can be coloured by: [title, value of token i of a turn, two-sided, how it is written].
const LOOKS = {
  advantage: ["advantage", (turn, i) => turn.advantages ? turn.advantages[i] : turn.advantage, true],
  gap: ["gap between trainer and sampler", (turn, i) => turn.gaps ? Math.abs(turn.gaps[i]) : null, false, v => Math.max(0, (Math.log10(v || 1e-12) + 8) / 6)],
  entropy: ["entropy", (turn, i) => turn.entropies ? turn.entropies[i] : null, false],
  surprise: ["surprise (negative log-probability)", (turn, i) => turn.logprobs ? -turn.logprobs[i] : null, false],
};
const MOST_TOKENS = 3000; // of a turn that are drawn one by one
KEYS.c = "next colouring of the tokens (training)";
let lookNow = "advantage";

function groupPage(root, run, [step, name]) {
  const place = el("div"), [split, group] = (name || "").split("-");
  const values = el("div", {class: "tokens-values"}, el("output", {"aria-live": "polite"}));
  let groups = [], here = -1, records = [];
  place.addEventListener("mouseover", event => {
    const token = event.target.closest(".tok[data-values]");
    if (token) values.firstChild.textContent = token.dataset.values;
  });
  root.append(el("p", {class: "sub"}, el("a", {href: trainingHref(run)}, run.label), ` · step ${step}`), place);
  (async () => {
    const data = await loadJson(`${run.id}/${run.data}`);
    groups = data.samples.flatMap(s => s.groups.map(g => ({...g, step: s.step, data: s.data})));
    here = groups.findIndex(g => String(g.step) === step && g.split === split && String(g.group) === group);
    if (here < 0) throw new Error("there is no such sample");
    records = (await loadJson(`${run.id}/${groups[here].data}`)).filter(r => (r.split || "train") === split && String(r.group) === group);
    draw();
    root.dataset.ready = "yes";
  })().catch(error => place.append(trouble(error)));
  function draw() {
    const looks = Object.keys(LOOKS).filter(look => records.some(r => r.turns.some(t => (t.tokens || []).some((_, i) => known(LOOKS[look][1](t, i))))));
    if (!looks.includes(lookNow) && looks.length) lookNow = looks[0];
    const g = groups[here], first = records[0], scale = looks.length ? scaleOf(records, lookNow) : 0;
    const buttons = looks.map(look => el("button", {class: "plain" + (look === lookNow ? " on" : ""), "aria-pressed": String(look === lookNow), onclick: () => { lookNow = look; draw(); }}, LOOKS[look][0]));
    place.replaceChildren(
      el("h1", {}, `${shortEnv(first.env)}, step ${step}`),
      el("p", {class: "sub"}, split === "train" ? `All ${records.length} rollouts of one task, ${g.solved} solved. Seed ${first.seed}.` : `A test task after step ${step}, sampled. Seed ${first.seed}.`),
      el("div", {class: "row looks"}, el("button", {disabled: here <= 0, onclick: () => move(-1)}, "‹ previous"), el("button", {disabled: here >= groups.length - 1, onclick: () => move(1)}, "next ›"),
        looks.length ? ["tokens coloured by", ...buttons, legend(lookNow, scale)] : null),
      values,
      el("div", {class: "rollouts"}, records.map(record => rolloutCard(record, looks.length ? lookNow : "", scale))));
  }
  function move(by) { const g = groups[here + by]; if (g) location.hash = sampleHref(run, g); }
  const cycle = () => { const looks = Object.keys(LOOKS); lookNow = looks[(looks.indexOf(lookNow) + 1) % looks.length]; if (records.length) draw(); };
  return {keys: {n: () => move(1), p: () => move(-1), j: () => move(1), k: () => move(-1), c: cycle, Esc: () => { location.hash = trainingHref(run); }}};
}
function scaleOf(records, look) {
  const [, value, , map] = LOOKS[look];
  if (map) return 1;
  return Math.max(1e-9, ...records.flatMap(r => r.turns.flatMap(t => (t.tokens || []).map((_, i) => Math.abs(value(t, i) || 0)))));
}
function tint(value, look, scale) {
  const [, , twoSided, map] = LOOKS[look];
  if (!known(value)) return "";
  const share = Math.min(1, (map ? map(value) : Math.abs(value)) / scale);
  return `--share:${(70 * share).toFixed(1)}%;--tint:var(${twoSided && value < 0 ? "--less" : twoSided ? "--more" : "--heat-tint"})`;
}
function legend(look, scale) {
  const [, , twoSided, map] = LOOKS[look];
  const ends = map ? [1e-8, 1e-2] : twoSided ? [-scale, scale] : [0, scale];
  const stops = twoSided ? [-scale, -scale / 2, 0, scale / 2, scale] : map ? [1e-8, 1e-6, 1e-4, 1e-2] : [0, scale / 3, 2 * scale / 3, scale];
  const write = v => map ? v.toExponential(0) : number(v, 2) || "0";
  return el("span", {class: "legend"}, write(ends[0]), stops.map(v => el("i", {class: "tok", style: tint(v, look, scale)}, "\u2003")), write(ends[1]));
}
function rolloutCard(r, look, scale) {
  const state = r.status === "error" ? "error" : r.solved ? "solved" : r.truncated ? "truncated" : "failed";
  const drawing = {}, tokens = r.turns.reduce((n, t) => n + (t.tokens || []).length, 0);
  const notes = [r.kept === false && r.status !== "error" ? "not trained on" : "", r.external ? "not the policy's own" : "", r.version !== undefined && r.version < r.step - 1 ? `weights of step ${r.version}` : ""].filter(Boolean);
  return el("section", {class: "card rollout"},
    el("div", {class: "row"}, badge(state, OUTCOMES[state]), el("b", {}, `return ${number(r.return)}`), el("span", {class: "soft small"}, [`rollout ${r.rollout + 1}`, plural(r.turns.length, "turn"), tokens ? plural(tokens, "token") : ""].filter(Boolean).join(" · ")), notes.map(n => badge(n, "warn"))),
    r.turns.map((turn, i) => [said(turn.observation, drawing), el("div", {class: "msg agent"},
      el("small", {}, `turn ${i + 1}`, badge(`reward ${number(turn.reward)}`, turn.reward > 0 ? "good" : ""),
        known(turn.signal) && turn.signal !== turn.reward ? badge(`learned from ${number(turn.signal)}`) : null,
        known(turn.advantage) ? badge(`advantage ${turn.advantage >= 0 ? "+" : "−"}${number(Math.abs(turn.advantage)) || 0}`) : null, turn.invalid ? badge("invalid", "warn") : null),
      el("div", {class: "body agent"}, look && turn.pieces && turn.pieces.length ? tokensOf(turn, look, scale) : el("pre", {}, turn.action)))]),
    r.final_observation && said(r.final_observation, drawing), r.error && failure(r.error));
}
function tokensOf(turn, look, scale) {
  const value = LOOKS[look][1], sign = v => known(v) ? `${v < 0 ? "−" : ""}${number(Math.abs(v)) || 0}` : "unknown";
  const words = i => [`“${turn.pieces[i]}”`, `token ${turn.tokens[i]}`, `log-probability ${sign(turn.logprobs[i])}`,
    turn.gaps && `gap ${turn.gaps[i].toExponential(1)}`, turn.entropies && `entropy ${sign(turn.entropies[i])}`,
    known(LOOKS.advantage[1](turn, i)) && `advantage ${sign(LOOKS.advantage[1](turn, i))}`].filter(Boolean).join(", ");
  const spans = turn.pieces.slice(0, MOST_TOKENS).map((piece, i) => el("span", {class: "tok", style: tint(value(turn, i), look, scale), "data-values": words(i)}, piece || "·"));
  const rest = turn.pieces.slice(MOST_TOKENS);
  return el("pre", {class: "tokens-text"}, spans, rest.length ? el("span", {class: "soft", title: `${rest.length} more tokens, uncoloured`}, rest.join("")) : null);
}
}
