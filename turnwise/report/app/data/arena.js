// An arena: who has what rating, who has beaten whom, and every game to be gone through move by move.

const rated = values => known(values[0]) ? `${Math.round(values[0])} to ${Math.round(values[1])}` : "";
const gameHref = number => address(["game", String(number)]);
const winner = game => {
  const most = Math.max(...game.returns), seats = game.returns.map((v, i) => v === most ? i : -1).filter(i => i >= 0);
  return seats.length === 1 ? game.seating[seats[0]] : "";
};

page("arena", {
  title: "Arena",
  render(root) {
    const arena = manifest.arena, rows = arena.records.map((r, i) => ({...r, place: i + 1}));
    const share = r => r.won + r.drawn + r.lost ? (r.won + r.drawn / 2) / (r.won + r.drawn + r.lost) : null;
    const columns = [
      {name: "entrant", figure: false, cell: r => r.name === r.spec ? r.name : `${r.name} (${r.spec})`, value: r => r.name},
      {name: "rating", cell: r => String(Math.round(r.rating)), value: r => r.rating},
      {name: "95 % interval", cell: r => rated(r.ci95)},
      {name: "points", cell: r => percent(share(r)), value: share, title: "wins and half of the draws, of 100"},
      {name: "won", cell: r => count(r.won), value: r => r.won},
      {name: "drawn", cell: r => count(r.drawn), value: r => r.drawn},
      {name: "lost", cell: r => count(r.lost), value: r => r.lost},
      {name: "not legal", cell: r => r.messages ? percent(r.illegal / r.messages) : "", value: r => r.illegal, title: "messages that were not legal moves, of 100"},
      {name: "forfeited", cell: r => r.forfeited ? count(r.forfeited) : "", value: r => r.forfeited},
      ...(arena.games.length > 1 ? arena.games.map(game => ({name: game, title: `rating in ${game} alone`,
        cell: r => known(r.by_game[game]) ? String(Math.round(r.by_game[game])) : "", value: r => r.by_game[game]})) : []),
    ];
    root.append(el("h1", {}, "Arena"),
      el("p", {class: "sub"}, `${count(arena.scored)} games of ${arena.games.join(", ")}, every seed in every seating. ${arena.errors
        ? `${count(arena.errors)} games could not be finished because of a server; they are not scored.` : ""}`),
      el("div", {class: "scroll"}, table(columns, rows)),
      el("p", {class: "sub"}, "Ratings are on the scale of Elo with a mean of 1500 (Bradley-Terry, draws as half a win); 200 points are 76 points of 100. Intervals: 95 %, from games drawn again."),
      el("h2", {}, "Points against each other, of 100"), crossTable(arena),
      el("h2", {}, "Games"), ...gameList(arena));
  },
});

function crossTable(arena) {
  const names = arena.records.map(r => r.name);
  const columns = [{name: "", figure: false, cell: r => r}, ...names.map(other => ({name: other, always: true,
    cell: r => { const found = (arena.scores[r] || {})[other]; return found && found[1] ? percent(found[0] / found[1], 0) : ""; }}))];
  return el("div", {class: "scroll"}, table(columns, names));
}

function gameList(arena) {
  const columns = [
    {name: "game", figure: false, cell: g => g.game, value: g => g.game},
    {name: "seats", figure: false, cell: g => g.seating.join(" – "), value: g => g.seating.join(" ")},
    {name: "winner", figure: false, cell: g => winner(g) || "none", value: winner},
    {name: "returns", cell: g => g.returns.map(v => number(v)).join(" : ")},
    {name: "moves", cell: g => count(g.moves.length), value: g => g.moves.length},
  ];
  const more = arena.scored - arena.played.length;
  return [more > 0 ? el("p", {class: "sub"}, `${count(arena.played.length)} of them, spread evenly; ${count(more)} are in episodes.jsonl only.`) : "",
    table(columns, arena.played.map((game, number) => ({...game, href: gameHref(number)})))];
}

page("game", {
  render(root, [id], query) {
    const games = manifest.arena.played, at = Number(id), game = games[at];
    if (!game) { root.append(el("p", {class: "notice bad"}, "There is no such game.")); return {}; }
    let move = Math.min(Math.max(0, Number((query && query.move) || 0)), game.moves.length);
    const shown = el("div", {class: "card side"}), said = el("div", {}), where = el("span", {class: "soft"});
    const slider = el("input", {type: "range", min: 0, max: game.moves.length, value: String(move), "aria-label": "move", oninput: () => to(Number(slider.value))});
    const to = next => {
      move = Math.min(Math.max(0, next), game.moves.length);
      slider.value = String(move);
      const made = move ? game.moves[move - 1] : null;
      where.textContent = `move ${move} of ${game.moves.length}`;
      shown.replaceChildren(...drawnBoard(made ? made.board : game.start));
      said.replaceChildren(made ? el("p", {}, el("b", {}, game.seating[made.seat]), made.legal ? " plays " : " writes, which is not a legal move: ", el("code", {}, made.move)) : "",
        made && made.message.trim() !== made.move ? el("details", {class: "fold"}, el("summary", {}, "message"), el("pre", {class: "text"}, made.message)) : "");
      replaceAddress(["game", id], {move});
    };
    const other = step => () => { if (games[at + step]) go(["game", String(at + step)]); };
    root.append(el("h1", {}, game.game), el("p", {class: "sub"}, `${game.seating.map((name, i) => `${game.names[i]}: ${name}`).join(", ")}. ${winner(game) ? `${winner(game)} wins.` : "Nobody wins."}`),
      el("p", {class: "row"}, el("button", {onclick: () => to(0), "aria-label": "start"}, "|◀"), el("button", {onclick: () => to(move - 1)}, "◀ back"), slider,
        el("button", {onclick: () => to(move + 1)}, "next ▶"), el("button", {onclick: () => to(game.moves.length), "aria-label": "end"}, "▶|"), where),
      shown, said);
    to(move);
    return {keys: {ArrowLeft: () => to(move - 1), ArrowRight: () => to(move + 1), j: other(1), k: other(-1), Esc: () => go(["arena"])}};
  },
});
