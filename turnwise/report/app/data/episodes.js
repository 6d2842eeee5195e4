// The list of episodes: filters, order, and search in the transcripts, all kept in the address.

let listNow = []; // what the list shows, for next and previous in an episode
let listQuery = {};

const OUTCOMES = {solved: "good", failed: "bad", error: "bad", partly: "warn", truncated: "warn"};
const badge = (words, look) => el("span", {class: `badge ${look || ""}`}, words);
const COLUMNS = [
  ["run", row => row.run, "model"], ["env", row => row.env, "environment"], ["level", row => row.level ?? -1, "level"],
  ["state", row => row.state, "outcome"], ["return", row => row.return, "return"], ["turns", row => row.turns, "turns"],
  ["written", row => row.written, "tokens"], ["cost", row => row.cost ?? -1, "cost"], ["seconds", row => row.seconds ?? -1, "seconds"],
  ["seed", row => row.seed, "task"],
];

function chosen(rows, query, hits) {
  const bits = {"truncated": 1, "format error": 2, "cut": 4, "refused": 8, "error": 16, "flipped": FLIPPED, "mixed": MIXED};
  const metric = query.metric, least = query.least === undefined || query.least === "" ? null : Number(query.least),
    most = query.most === undefined || query.most === "" ? null : Number(query.most);
  const run = query.run === undefined || query.run === "" ? null : Number(query.run), level = query.level ? Number(query.level) : null;
  const found = rows.filter(row => (run === null || row.run === run) && (!query.env || row.env === query.env)
    && (level === null || row.level === level) && (!query.state || row.state === query.state)
    && (!query.flag || row.flags & bits[query.flag]) && (!query.seed || row.seed === query.seed)
    && (!metric || (row.metric(metric) !== null && (least === null || row.metric(metric) >= least) && (most === null || row.metric(metric) <= most)))
    && (!hits || hits.has(`${row.run}/${row.number}`)));
  const by = COLUMNS.find(([name]) => name === (query.sort || "").replace("-", ""));
  if (by) {
    const sign = query.sort.startsWith("-") ? -1 : 1, value = by[1];
    found.sort((a, b) => { const x = value(a), y = value(b); return x < y ? -sign : x > y ? sign : 0; });
  }
  return found;
}

page("episodes", {
  title: "Episodes",
  shown: m => m.runs.some(run => run.kind === "evaluation"),
  render(root, parts, given) {
    const query = {...given};
    delete query.focus;
    let rows = [], hits = null, searching = 0, gone = false;
    const status = el("span", {class: "status", role: "status"});
    const list = new LongList((row, i) => line(row, hits), row => open(row));
    const controls = el("form", {class: "filter", onsubmit: event => event.preventDefault()});
    const order = el("div", {class: "order"});
    root.append(el("h1", {}, "Episodes"), controls, order, list.node);
    const text = el("input", {type: "search", name: "q", placeholder: "search in the transcripts   /", value: query.q || "",
      "aria-label": "Search in the transcripts", autocomplete: "off"});
    text.addEventListener("focus", () => { for (const run of evaluations()) run.shards.forEach(shard => load(`${run.id}/${shard}`).catch(() => {})); }, {once: true});
    let typed = null;
    text.addEventListener("input", () => { clearTimeout(typed); typed = setTimeout(() => { query.q = text.value; apply(true); }, 180); });
    text.addEventListener("keydown", event => { if (event.key === "Enter" || event.key === "Escape") { list.node.focus(); if (list.selected < 0) list.move(1); } });

    function open(row) { if (row) go(["episode", row.run, row.number]); }
    function select(name, words, options, least = 2) {
      if (options.length < least && !query[name]) return null;
      return el("select", {name, "aria-label": words, onchange: event => { query[name] = event.target.value; build(); apply(false); }},
        el("option", {value: ""}, words), options.map(([value, label]) => el("option", {value, selected: String(query[name] ?? "") === String(value)}, label)));
    }
    function build() {
      const of = name => [...new Set(rows.map(row => row[name]))];
      const names = [...new Set([...new Set(rows.map(row => row.part))].flatMap(part => Object.keys(part.metrics)))].sort();
      const flags = ["truncated", "format error", "cut", "refused", "error", "flipped", "mixed"];
      const have = rows.reduce((all, row) => all | row.flags, 0), bits = [1, 2, 4, 8, 16, FLIPPED, MIXED];
      const label = {flipped: "flipped between models", mixed: "solved in some samples", error: "failed (infrastructure)"};
      const range = name => el("input", {type: "number", step: "any", name, placeholder: name === "least" ? "at least" : "at most", "aria-label": name === "least" ? "At least" : "At most",
        value: query[name] || "", oninput: event => { query[name] = event.target.value; apply(false); }});
      controls.replaceChildren(...[text,
        select("run", "all models", evaluations().map(run => [run.id, run.label])),
        select("env", "all environments", of("env").sort().map(env => [env, shortEnv(env)])),
        select("level", "all levels", of("level").filter(known).sort((a, b) => a - b).map(l => [l, `level ${l}`])),
        select("state", "all outcomes", of("state").sort().map(s => [s, s])),
        select("flag", "everything", flags.filter((_, i) => have & bits[i]).map(f => [f, label[f] || f]), 1),
        select("metric", "any metric", names.map(n => [n, n]), 1), query.metric && [range("least"), range("most")],
        query.seed && el("button", {type: "button", onclick: () => { delete query.seed; build(); apply(false); }}, "this task ✕"), status].flat().filter(Boolean));
      order.replaceChildren("order: ", ...COLUMNS.filter(([name, value]) => rows.some(row => { const v = value(row); return v !== value(rows[0]); })).map(([name, , words]) => {
        const own = (query.sort || "").replace("-", "") === name;
        return el("button", {class: "plain" + (own ? " on" : ""), "aria-pressed": String(own), onclick: () => {
          query.sort = !own ? (["return", "turns", "written", "cost", "seconds"].includes(name) ? `-${name}` : name) : query.sort.startsWith("-") ? name : `-${name}`;
          build(); apply(false);
        }}, words, own ? (query.sort.startsWith("-") ? " ↓" : " ↑") : "");
      }));
    }
    async function apply(search) {
      replaceAddress(["episodes"], query);
      const words = (query.q || "").trim();
      if (!words) { hits = null; searching++; show(); return; }
      if (search || !hits) {
        const mine = ++searching;
        status.textContent = "searching …";
        const found = await searched(words, share => { if (mine === searching) status.textContent = `searching … ${Math.round(100 * share)} %`; },
          () => mine !== searching || gone);
        if (mine !== searching || gone) return;
        hits = found;
      }
      show();
    }
    function show(keep) {
      listNow = chosen(rows, query, hits);
      listQuery = {...query};
      list.set(listNow, keep);
      const solved = listNow.reduce((n, row) => n + (row.state !== "error" && row.solved), 0), scored = listNow.filter(row => row.state !== "error").length;
      status.textContent = `${count(listNow.length)} of ${plural(rows.length, "episode")}` + (scored ? `, ${percent(solved / scored)} % solved` : "");
      list.node.classList.toggle("nothing", !listNow.length);
    }
    async function read(keep) {
      rows = await allRows();
      if (gone) return;
      build();
      if (keep) { if (hits && query.q) await apply(true); else show(true); } else await apply(true);
      root.dataset.ready = "yes";
    }
    read(false).catch(error => root.append(trouble(error)));
    if (given.focus) setTimeout(() => text.focus());
    return {
      keys: {j: () => list.move(1), k: () => list.move(-1), ArrowDown: () => list.move(1), ArrowUp: () => list.move(-1),
        PageDown: () => list.move(12), PageUp: () => list.move(-12), Enter: event => { if (event.target.closest("button, a, select")) return false; open(listNow[list.selected]); },
        "/": () => { text.focus(); text.select(); }, Esc: () => { if (query.q) { text.value = query.q = ""; apply(true); } else go(["overview"]); }},
      changed: () => read(true),
      leave() { gone = true; list.leave(); },
    };
  },
});

function line(row, hits) {
  const run = manifest.runs[row.run], hit = hits && hits.get(`${row.run}/${row.number}`);
  const flags = Object.entries(run.flags).filter(([name, bit]) => row.flags & bit && name !== row.state).map(([name]) => badge(name, "warn"));
  const facts = [known(row.level) ? `level ${row.level}` : "", plural(row.turns, "turn"), row.written ? plural(row.written, "token") : "",
    known(row.cost) ? number(row.cost) : "", known(row.seconds) ? duration(row.seconds) : ""].filter(Boolean).join(" · ");
  return el("div", {class: "line"}, badge(row.state, OUTCOMES[row.state]),
    el("span", {class: "where"}, el("b", {}, shortEnv(row.env)), evaluations().length > 1 && el("i", {class: `swatch dot-swatch ${colour(row.run)}`, title: run.label})),
    el("span", {class: "head"}, hit ? [hit[0], el("mark", {}, hit[1]), hit[2]] : row.head),
    el("span", {class: "flags"}, flags, row.flags & FLIPPED ? badge("flipped", "") : null),
    el("span", {class: "facts"}, facts), el("span", {class: "return"}, number(row.return)));
}
