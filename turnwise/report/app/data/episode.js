// An episode as a conversation, with what is known of each turn, and the oracle's way beside it.

page("episode", {
  render(root, [run, number]) {
    const entry = manifest.runs[Number(run)];
    if (!entry || entry.kind !== "evaluation") throw new Error(`there is no evaluation ${run}`);
    const state = {turn: -1};
    const list = listNow.findIndex(row => row.run === entry.id && row.number === Number(number));
    const step = by => { const row = listNow[list + by]; if (list >= 0 && row) go(["episode", row.run, row.number]); };
    let gone = false;
    (async () => {
      const [rows, episode] = await Promise.all([allRows(), transcript(entry, Number(number))]);
      const row = rows.find(r => r.run === entry.id && r.number === Number(number));
      if (gone) return;
      if (!row) throw new Error("this episode was played again");
      root.append(...episodePage(entry, row, episode, rows, list, step));
      root.dataset.ready = "yes";
      const hit = root.querySelector(".talk mark");
      if (hit) { for (let box = hit.closest("details"); box; box = box.parentElement.closest("details")) box.open = true; hit.scrollIntoView({block: "center"}); }
    })().catch(error => root.append(trouble(error)));
    const move = by => {
      const turns = [...root.querySelectorAll(".talk > .msg")];
      if (!turns.length) return;
      state.turn = Math.max(0, Math.min(turns.length - 1, state.turn + by));
      turns.forEach((turn, i) => turn.classList.toggle("selected", i === state.turn));
      turns[state.turn].scrollIntoView({block: "nearest"});
    };
    return {
      keys: {j: () => move(1), k: () => move(-1), n: () => step(1), p: () => step(-1),
        Enter: event => {
          if (event.target.closest("summary, button, a")) return false;
          for (const box of root.querySelectorAll(".msg.selected details")) box.open = !box.open;
        },
        Esc: () => go(["episodes"], listQuery)},
      leave() { gone = true; },
    };
  },
});

function episodePage(run, row, episode, rows, list, step) {
  const task = address(["episodes"], {env: row.env, seed: row.seed});
  const others = rows.filter(r => r !== row && r.env === row.env && r.settings === row.settings && r.seed === row.seed);
  const facts = [run.label, known(row.level) && `level ${row.level}`, `return ${number(row.return)}`, plural(row.turns, "turn"),
    row.read + row.written && `${count(row.read)} + ${plural(row.written, "token")}`, known(row.cost) && `cost ${number(row.cost)}`,
    known(row.seconds) && duration(row.seconds), `seed ${row.seed}`, row.sample && `sample ${row.sample}`,
    episode.attempts && `${episode.attempts} attempts`, row.task && `task ${row.task}`].filter(Boolean).join(" · ");
  const flags = Object.entries(run.flags).filter(([name, bit]) => row.flags & bit && name !== row.state).map(([name]) => badge(name, "warn"));
  const head = el("div", {class: "episode-head"},
    el("div", {class: "row"}, el("a", {href: address(["episodes"], listQuery)}, "← Episodes"), el("span", {class: "space"}),
      list >= 0 && [el("button", {disabled: list === 0, onclick: () => step(-1), title: "p"}, "previous"),
        el("span", {class: "soft"}, `${count(list + 1)} of ${count(listNow.length)}`),
        el("button", {disabled: list + 1 >= listNow.length, onclick: () => step(1), title: "n"}, "next")]),
    el("h1", {}, shortEnv(row.env), " ", badge(row.state, OUTCOMES[row.state]), " ", flags), el("p", {class: "sub"}, facts),
    others.length > 0 && el("p", {class: "others"}, "The same task: ", others.slice(0, 12).map(r => [el("a", {href: address(["episode", r.run, r.number])},
      badge(r.state, OUTCOMES[r.state]), ` ${manifest.runs[r.run].label}${r.sample || r.run === row.run ? `, sample ${r.sample}` : ""}`), "  "]),
      others.length > 12 && el("a", {href: task}, `all ${others.length + 1}`)));
  const talk = el("div", {class: "talk"});
  const drawing = {};
  episode.turns.forEach((turn, i) => talk.append(environmentMessage(i, turn.observation, drawing, run, row, episode), agentMessage(i, turn)));
  if (episode.final) talk.append(environmentMessage(episode.turns.length, episode.final, drawing, run, row, episode));
  if (episode.error) talk.append(el("div", {class: "msg error"}, el("small", {}, "error: this episode is not counted"), el("pre", {}, episode.error)));
  pictures(run, row, talk);
  return [head, el("div", {class: "beside"}, talk, el("aside", {}, wayOf(run, row), tableOf("Metrics", episode.metrics, v => known(v) ? number(v, 4) : v), tableOf("Settings", episode.settings, v => typeof v === "string" ? v : JSON.stringify(v))))];
}

function tableOf(title, values, write) {
  const entries = Object.entries(values || {});
  return entries.length ? el("section", {class: "card side"}, el("h2", {}, title), el("dl", {}, entries.map(([name, value]) => [el("dt", {}, name), el("dd", {}, String(write(value)))]))) : null;
}

function environmentMessage(i, text, drawing, run, row, episode) {
  const body = el("div", {class: "body"}, environmentText(text, drawing));
  const raw = el("button", {class: "plain small", title: "As the model reads it", onclick: () => {
    const on = body.classList.toggle("raw");
    body.replaceChildren(...(on ? [plainText(text) || el("pre")] : environmentText(text, {}).flat().filter(Boolean)));
    raw.textContent = on ? "drawn" : "text";
  }}, "text");
  const play = manifest.served && row.state !== "error" && i < episode.turns.length &&
    el("button", {class: "plain small", onclick: () => playFrom(run, row, i)}, "play from here");
  return el("div", {class: "msg", "data-turn": i}, el("small", {}, "environment", raw, play), body);
}

function agentMessage(i, turn) {
  const served = turn.served || {};
  const facts = [turn.read || turn.written ? `${count(turn.read)} + ${plural(turn.written, "token")}` : "", known(served.latency_s) ? duration(served.latency_s) : "",
    served.retries ? plural(served.retries, "retry").replace("retrys", "retries") : ""].filter(Boolean).join(" · ");
  const logps = (turn.logps || []).filter(known), mean = logps.reduce((a, b) => a + b, 0) / logps.length;
  return el("div", {class: "msg agent" + (turn.internal ? " internal" : "")},
    el("small", {}, turn.internal ? `own note, turn ${i + 1}` : `agent, turn ${i + 1}`,
      badge(`reward ${number(turn.reward)}`, turn.reward > 0 ? "good" : ""), turn.invalid && badge("format error", "warn"),
      turn.finish && badge(turn.finish, "warn"), facts),
    turn.reasoning && folded("thoughts", "think", turn.reasoning),
    el("div", {class: "body"}, agentText(turn.action)),
    logps.length > 0 && el("details", {class: "fold tokens"}, el("summary", {}, el("b", {}, plural(logps.length, "token")), el("span", {class: "head"}, `mean log-probability ${mean.toFixed(3)}, least ${Math.min(...logps).toFixed(2)}`)),
      el("div", {class: "strip"}, turn.logps.map((logp, t) => el("i", {title: `token ${turn.ids[t]}: ${logp}`, style: `--surprise:${Math.min(1, -logp / 5) * 100}%`})))),
    Object.keys(served).length > 0 && el("details", {class: "fold"}, el("summary", {}, el("b", {}, "request"), el("span", {class: "head"}, [served.model, served.id].filter(Boolean).join(" · "))),
      el("dl", {}, Object.entries(served).map(([name, value]) => [el("dt", {}, name), el("dd", {}, String(value))]))));
}

// Served pages ask the environment; written ones have what was put into them.
async function extra(run, row, what) {
  if (manifest.served) return ask(run.id, what, {episode: row.number});
  await parsed;
  return has(`${run.id}/${what}${row.number}`) ? loadJson(`${run.id}/${what}${row.number}`) : null;
}
async function pictures(run, row, talk) {
  if (row.state === "error" || (manifest.served && !(run.drawn || []).includes(row.env))) return;
  const found = await extra(run, row, "pictures").catch(error => ({none: error.message}));
  if (!found || found.none === "") return;
  if (found.none) { talk.prepend(el("p", {class: "notice"}, `No pages of the environment: ${found.none}.`)); return; }
  found.pages.forEach((source, i) => {
    const message = talk.querySelector(`.msg[data-turn="${i}"]`);
    if (!message || !source) return;
    const box = el("details", {class: "fold picture"}, el("summary", {}, el("b", {}, "as a browser shows it")));
    box.addEventListener("toggle", () => { // a sandbox: no scripts, no forms, no links out
      if (box.open && !box.querySelector("iframe")) box.append(el("iframe", {sandbox: true, srcdoc: source, title: "the page that the environment shows"}));
    });
    message.append(box);
  });
}
function wayOf(run, row) {
  if (row.state === "error") return null;
  const body = el("div", {class: "way"}, el("p", {class: "soft"}, "…"));
  const box = el("details", {class: "card side"}, el("summary", {}, el("h2", {}, "The oracle's way")), body);
  async function show() {
    const found = await extra(run, row, "way").catch(error => ({none: error.message}));
    if (!found) { box.remove(); return; }
    if (found.none) { body.replaceChildren(el("p", {class: "soft"}, `Not shown: ${found.none}.`)); return; }
    const state = {};
    body.replaceChildren(...found.turns.map(([observation, action, reward], i) => el("div", {class: "step"},
      i > 0 && el("div", {class: "body"}, environmentText(observation, state)), i === 0 && (drawnText(observation, state), null),
      el("div", {class: "body agent"}, agentText(action)), reward > 0 && badge(`reward ${number(reward)}`, "good"))),
      el("div", {class: "step"}, el("div", {class: "body"}, environmentText(found.final, state))));
  }
  if (manifest.served) box.addEventListener("toggle", () => { if (box.open && !box.dataset.asked) { box.dataset.asked = "yes"; show(); } });
  else { show(); box.open = innerWidth > 1100; }
  return box;
}
