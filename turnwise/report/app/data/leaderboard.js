// The leaderboard: a page that lists the boards, and one for each of them.

const places = board => board.rows.map((row, i) => ({...row, place: i, rank: board.ranks[i], board}));
const shownScore = part => part && known(part.score) ? percent(part.score) : "";
const boardHref = board => address(["board", board.key]);

page("boards", {
  title: "Leaderboards",
  render(root) {
    const columns = [
      {name: "suite", figure: false, cell: b => b.name, value: b => b.name},
      {name: "about", figure: false, cell: b => b.title},
      {name: "agents", cell: b => count(b.rows.filter(r => !r.reference).length), value: b => b.rows.length, always: true},
      {name: "best", figure: false, cell: b => { const r = b.rows.find(r => !r.reference); return r ? r.agent : ""; }},
      {name: "score", cell: b => { const r = b.rows.find(r => !r.reference); return r ? shownScore(r.headline) : ""; }},
      {name: "hash", cell: b => b.hash},
    ];
    root.append(el("h1", {}, manifest.title), el("p", {class: "sub"}, manifest.words),
      table(columns, manifest.boards.map(board => ({...board, href: boardHref(board)}))));
  },
});

page("board", {
  render(root, [id]) {
    const board = manifest.boards.find(b => b.key === id);
    if (!board) { root.append(el("p", {class: "notice bad"}, "There is no such leaderboard.")); return {}; }
    let references = true;
    const rest = el("div", {}), toggle = el("input", {type: "checkbox", checked: true, onchange: () => { references = toggle.checked; draw(); }});
    const draw = () => rest.replaceChildren(...boardParts(board, places(board).filter(r => references || !r.reference)).filter(Boolean));
    root.append(el("h1", {}, board.name), el("p", {class: "sub"}, `${board.title ? board.title + ". " : ""}Suite hash ${board.hash}, environments ${board.environments}.`),
      board.rows.some(r => r.reference) ? el("label", {class: "row soft"}, toggle, "scripted reference agents") : "", rest);
    draw();
    return {keys: {Esc: () => go(["boards"])}};
  },
});

function boardParts(board, rows) {
  const scored = rows.filter(r => known(r.headline.score));
  const chart = scored.slice(0, 30).map(r => ({name: r.agent, bars: [{value: r.headline.score, ci: r.headline.ci95}], strong: !r.reference}));
  const costs = rows.filter(r => known(r.cost)).map(r => ({name: r.agent, x: r.cost, y: r.headline.score, ci: r.headline.ci95}));
  return [
    el("div", {class: "scroll"}, table(boardColumns(board), rows.map(r => ({...r, kind: r.reference ? "soft" : null})))),
    el("p", {class: "sub"}, "Scores are solve rates corrected for chance, in points of 100, with 95 % intervals. A rank is one more than "
      + "the number of agents whose whole interval lies above: agents whose intervals overlap may share one."),
    chart.length ? bars("Score, with its interval", ["score"], chart) : null,
    costs.length > 1 ? el("section", {}, el("h2", {}, "Score and cost"), points("score against cost", costs, "cost", "score")) : null,
  ];
}

function boardColumns(board) {
  const figure = (name, get, write = number, title) => ({name, cell: r => known(get(r)) ? write(get(r)) : "", value: get, title});
  const most = r => Math.max(0, ...Object.keys(r.pass_at_k).map(Number).filter(k => known(r.pass_at_k[k])));
  return [
    {name: "agent", figure: false, cell: r => r.agent, value: r => r.agent.toLowerCase()},
    figure("rank", r => r.rank, count),
    figure("score", r => r.headline.score, percent),
    {name: "95 % interval", cell: r => interval(r.headline.ci95)},
    ...board.domains.map(name => ({name, cell: r => shownScore(r.domains[name]), value: r => r.domains[name] ? r.domains[name].score : null,
      title: `score in the domain ${name}`})),
    figure("solved", r => r.solve_rate, percent, "share of episodes solved, not corrected for chance"),
    {name: "pass@k", cell: r => most(r) ? `${percent(r.pass_at_k[most(r)])} (k=${most(r)})` : "", value: r => most(r) ? r.pass_at_k[most(r)] : null},
    figure("turns", r => r.turns, v => number(v, 2)),
    figure("tokens", r => r.tokens, count, "tokens written per episode"),
    figure("cost", r => r.cost, number, "of the whole run"),
    figure("seconds", r => r.seconds, number, "of the endpoint, per episode"),
    figure("episodes", r => r.num_episodes, count),
    {name: "errors", cell: r => r.num_errors ? count(r.num_errors) : "", value: r => r.num_errors},
    {name: "seed", cell: r => `${r.fresh ? "fresh " : ""}${r.seed}`, value: r => r.seed},
    {name: "differs", figure: false, cell: r => Object.entries(r.changed).map(([name, [own, now]]) => `${name} ${now} for ${own}`).join(", "),
      title: "what differs from the suite"},
    {name: "turnwise", cell: r => r.turnwise},
    {name: "report", cell: r => r.report ? el("a", {href: r.report}, "report") : ""},
  ];
}
