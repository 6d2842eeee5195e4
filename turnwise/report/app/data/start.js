// What was evaluated, and the start of the app; the last of the scripts.

page("settings", {
  title: "Settings",
  shown: m => m.runs.length > 0,
  render(root, [id]) {
    root.append(el("h1", {}, "Settings"), ...manifest.runs.filter(run => run.config && (id === undefined || run.id === Number(id))).map(run =>
      el("details", {class: "card side", open: manifest.runs.length === 1 || id !== undefined}, el("summary", {}, el("h2", {}, run.label), el("span", {class: "soft"}, ` ${run.folder || ""}`)), el("pre", {class: "text"}, run.config))),
      el("p", {class: "sub"}, `turnwise ${manifest.version}`));
  },
});

addEventListener("hashchange", route);
bar();
route();
if (manifest.served) look();
