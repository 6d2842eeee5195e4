// A person goes on from a turn: the server plays the stored actions up to it in a live environment.

async function playFrom(run, row, turn) {
  const log = el("div", {class: "talk"}), text = el("textarea", {rows: 3, "aria-label": "Your action"});
  const send = el("button", {class: "main", onclick: () => act("step", {action: text.value})}, "Send");
  const hint = el("button", {onclick: () => act("hint", {})}, "What would the oracle say?");
  const box = dialog(`${shortEnv(row.env)}, from turn ${turn + 1}`, log, text, el("div", {class: "row"}, send, el("span", {class: "soft"}, "Ctrl+Enter"), el("span", {class: "space"}), hint));
  box.classList.add("play");
  const state = {};
  let session = null, busy = false;
  const say = (who, nodes, look) => { const line = el("div", {class: `msg ${look || ""}`}, el("small", {}, who), el("div", {class: "body"}, nodes)); log.append(line); line.scrollIntoView({block: "nearest"}); };
  function seen(found) {
    say("environment", environmentText(found.observation, state));
    if (found.over) {
      log.append(el("p", {class: "notice " + (found.solved ? "good" : "")}, `${found.solved ? "Solved" : "Over"}, return ${number(found.return)}.`));
      send.disabled = hint.disabled = text.disabled = true;
    }
  }
  async function act(what, more) {
    if (busy || (what === "step" && !session)) return;
    busy = send.disabled = hint.disabled = true;
    let over = false;
    try {
      if (what === "step") say("you", agentText(more.action), "agent");
      const found = await ask(run.id, what, what === "play" ? more : {session, ...more});
      if (found.none) throw new Error(found.none);
      session = found.session || session;
      if ("hint" in found) text.value = found.hint;
      else { if (what === "step") text.value = ""; over = found.over; seen(found); }
    } catch (error) { log.append(trouble(error)); }
    busy = false;
    if (!over) { send.disabled = hint.disabled = false; text.focus(); }
  }
  text.addEventListener("keydown", event => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); act("step", {action: text.value}); } });
  box.addEventListener("close", () => { if (session) ask(run.id, "end", {session}).catch(() => {}); });
  await act("play", {episode: row.number, turn});
}
