// Data by name, and the rows and transcripts of evaluations.

const loaded = new Map(); // name -> promise of text, for what is used again and again
const waiting = new Map(); // name -> [resolve, reject] of scripts that are on their way
let kept = 0;
const MOST_KEPT = 400e6; // characters of data that are kept decoded

function decoded(base64) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
  const text = atob(base64), bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}
async function inflated(base64) {
  const stream = new Blob([decoded(base64)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}
const parsed = new Promise(done => {
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", done); else done();
});
let blocks = null; // name -> the element that has the data
function arrived(name, base64) { // called by the scripts next to a large page
  waiting.get(name)[0](base64);
  waiting.delete(name);
}
async function fetched(name) {
  if (manifest.served) {
    const answer = await fetch(`data?name=${encodeURIComponent(name)}`);
    if (!answer.ok) throw new Error(`${name} is not there any more`);
    return answer.text();
  }
  const file = manifest.outside && manifest.outside[name];
  if (file) {
    const base64 = await new Promise((resolve, reject) => {
      waiting.set(name, [resolve, reject]);
      const script = el("script", {src: file, onerror: () => reject(new Error(`${file} cannot be read`))});
      document.head.append(script);
    });
    return inflated(base64);
  }
  const early = document.querySelector(`script[data-blob="${CSS.escape(name)}"]`);
  if (early) return inflated(early.textContent);
  await parsed;
  blocks = blocks || new Map([...document.querySelectorAll("script[data-blob]")].map(b => [b.dataset.blob, b]));
  if (!blocks.has(name)) throw new Error(`there are no data called ${name}`);
  return inflated(blocks.get(name).textContent);
}
function load(name) {
  if (loaded.has(name)) return loaded.get(name);
  const promise = fetched(name);
  loaded.set(name, promise);
  promise.then(text => {
    kept += text.length;
    for (const [old, value] of loaded) {
      if (kept <= MOST_KEPT || old === name) break;
      loaded.delete(old);
      value.then(text => { kept -= text.length; }, () => {});
    }
  }, () => loaded.delete(name));
  return promise;
}
async function loadJson(name) { return JSON.parse(await load(name)); }
function has(name) {
  if (manifest.outside && name in manifest.outside) return true;
  return Boolean(document.querySelector(`script[data-blob="${CSS.escape(name)}"]`));
}

// ---- rows -----------------------------------------------------------------------------------------------------------

const evaluations = () => manifest.runs.filter(run => run.kind === "evaluation");
const partsOfRows = new Map(); // name of a part -> its rows
let rowsNow = null; // {key, promise}

class Row { // an episode's values, read from the columns when they are asked for
  constructor(run, part, i, number) { this.run = run; this.part = part; this.i = i; this.number = number; this.marks = 0; }
  value(name, none) { const column = this.part.columns[name]; return column ? column[this.i] : none; }
  word(name) { return this.part.words[this.value(name, 0)]; }
  get flags() { return this.value("flags", 0) | this.marks; }
  metric(name) { const column = this.part.metrics[name]; return column ? column[this.i] : null; }
}
for (const name of ["env", "settings", "agent", "task", "state"])
  Object.defineProperty(Row.prototype, name, {get() { return this.word(name); }});
for (const [name, none] of [["level", null], ["seed", "0"], ["sample", 0], ["solved", 0], ["return", 0], ["turns", 0],
  ["invalid", 0], ["read", 0], ["written", 0], ["seconds", null], ["cost", null], ["head", ""]])
  Object.defineProperty(Row.prototype, name, {get() { return this.value(name, none); }});

async function rowsOfRun(run) {
  let first = 0;
  const found = [];
  const parts = await Promise.all(run.rows.map(name => partsOfRows.has(name + run.id) ? null : loadJson(`${run.id}/${name}`)));
  run.rows.forEach((name, i) => {
    const key = name + run.id;
    if (parts[i]) {
      partsOfRows.set(key, Array.from({length: parts[i].count}, (_, n) => new Row(run.id, parts[i], n, first + n)));
      loaded.delete(`${run.id}/${name}`);
    }
    const rows = partsOfRows.get(key);
    first += rows.length;
    for (const row of rows) found.push(row);
  });
  for (const key of [...partsOfRows.keys()])
    if (key.endsWith("+" + run.id) && !run.rows.includes(key.slice(0, -String(run.id).length))) partsOfRows.delete(key);
  const dead = new Set(run.dead);
  return dead.size ? found.filter(row => !dead.has(row.number)) : found;
}

// All rows of all evaluations, with two more flags: the task is solved by some models and not by others (flipped), or
// in some samples and not in others (mixed).
const FLIPPED = 1 << 20, MIXED = 1 << 21;
function allRows() {
  const key = JSON.stringify(evaluations().map(run => [run.rows, run.dead]));
  if (rowsNow && rowsNow.key === key) return rowsNow.promise;
  const promise = (async () => {
    const rows = (await Promise.all(evaluations().map(rowsOfRun))).flat();
    if (evaluations().length === 1 && !rows.some(row => row.sample)) return rows;
    const tasks = new Map();
    for (const row of rows) {
      row.marks = 0;
      if (row.state === "error") continue;
      const task = `${row.env}\n${row.settings}\n${row.seed}`;
      let found = tasks.get(task);
      if (!found) tasks.set(task, found = new Map());
      const own = found.get(row.run);
      if (own) { own.rows.push(row); own.solved += row.solved; } else found.set(row.run, {rows: [row], solved: row.solved});
    }
    for (const runs of tasks.values()) {
      const sides = [...runs.values()], rates = sides.map(s => s.solved / s.rows.length);
      const flipped = rates.some(rate => rate !== rates[0]);
      for (const side of sides)
        if (flipped || (side.solved && side.solved < side.rows.length))
          for (const row of side.rows)
            row.marks |= (flipped ? FLIPPED : 0) | (side.solved && side.solved < side.rows.length ? MIXED : 0);
    }
    return rows;
  })();
  rowsNow = {key, promise};
  return promise;
}

// ---- transcripts ----------------------------------------------------------------------------------------------------

async function shardText(run, index) { return load(`${run.id}/${run.shards[index]}`); }

async function transcript(run, number) {
  const text = await shardText(run, Math.floor(number / run.shard_size));
  const cut = text.indexOf("\x1d"), place = number % run.shard_size;
  const numbers = JSON.parse(text.slice(0, cut))[place];
  const fields = text.slice(cut + 1).split("\x1e")[place].split("\x1f");
  numbers.turns.forEach((turn, i) => {
    [turn.observation, turn.action, turn.reasoning] = fields.slice(3 * i, 3 * i + 3);
  });
  [numbers.final, numbers.error] = fields.slice(-2);
  return numbers;
}

// The episodes whose transcripts have a text, in any case: a map from "run/number" to the words around it.
async function searched(words, progress, stopped) {
  const found = new Map();
  const pattern = new RegExp(words.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "gi");
  const jobs = evaluations().flatMap(run => run.shards.map((_, index) => [run, index]));
  let next = 0, done = 0;
  async function worker() {
    while (next < jobs.length && !stopped()) {
      const [run, index] = jobs[next++];
      hits(run, index, await shardText(run, index), pattern, found);
      progress(++done / jobs.length, found);
    }
  }
  await Promise.all(Array.from({length: 6}, worker));
  return found;
}
function hits(run, index, text, pattern, found) {
  let begin = text.indexOf("\x1d") + 1, place = 0;
  pattern = new RegExp(pattern); // its own lastIndex
  pattern.lastIndex = begin;
  for (let match; (match = pattern.exec(text)) !== null;) {
    let end = text.indexOf("\x1e", begin);
    while (end !== -1 && end < match.index) { begin = end + 1; place++; end = text.indexOf("\x1e", begin); }
    const before = text.slice(Math.max(begin, match.index - 40), match.index);
    const after = text.slice(match.index + match[0].length, match.index + match[0].length + 120);
    const clean = s => s.replace(/[\x1d-\x1f\s]+/g, " ");
    found.set(`${run.id}/${index * run.shard_size + place}`, [clean(before), match[0], clean(after.split("\x1e")[0])]);
    if (end === -1) break;
    begin = end + 1; place++;
    pattern.lastIndex = begin;
  }
}
