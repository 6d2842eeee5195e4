// Further figures: maj@k, diversity, calibration, wordings, best of k, verifying. Rows are models, or one's environments.

function furtherFigures(runs) {
  const one = runs.length === 1;
  const rows = one ? runs[0].environments.map(env => ({name: env.name, part: env})) : runs.map(run => ({name: run.label, part: run.headline}));
  const names = [...new Set(rows.flatMap(row => Object.keys(row.part.measures || {})))];
  if (!names.length) return null;
  const of = (row, name) => (row.part.measures || {})[name];
  const write = m => m.unit === "share" ? `${percent(m.value)}${m.ci ? ` (${interval(m.ci)})` : ""}`
    : `${number(m.value)}${m.ci ? ` (${number(m.ci[0])}–${number(m.ci[1])})` : ""}`;
  return [el("h2", {}, "Further figures"), el("div", {class: "scroll"}, table([
    {name: one ? "environment" : "model", figure: false, cell: r => r.name, value: r => r.name},
    ...names.map(name => ({name, cell: r => of(r, name) ? write(of(r, name)) : "", value: r => of(r, name) ? of(r, name).value : null})),
  ], rows.filter(row => Object.keys(row.part.measures || {}).length)))];
}
