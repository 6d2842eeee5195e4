// A person plays an environment: what it says, its board drawn, and a move by a click or in words.

page("play", {
  title: "Play",
  render(root) {
    const board = el("div", {class: "card side"}), log = el("div", {class: "talk"}), choices = el("div", {class: "choices"});
    const text = el("textarea", {rows: 2, "aria-label": "Your move"});
    const send = el("button", {class: "main", onclick: () => act(text.value)}, "Send");
    const hint = el("button", {onclick: () => ask({what: "hint"}).then(found => { text.value = found.hint; })}, "Hint");
    const again = el("button", {onclick: () => start({what: "begin"})}, "New game");
    let busy = false, now = null, chosen = "";
    const say = (who, words, look) => { const line = el("div", {class: `msg ${look || ""}`}, el("small", {}, who), el("div", {class: "body"}, el("pre", {}, words))); log.prepend(line); };
    const ask = async question => {
      const answer = await fetch("ask", {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(question)});
      const found = await answer.json();
      if (!answer.ok) throw new Error(found.error || answer.statusText);
      return found;
    };
    function show() {
      const drawn = now.board ? drawnBoard(now.board, now.over ? null : pick, chosen) : [];
      board.hidden = !drawn.length;
      board.replaceChildren(...drawn);
      const few = now.legal.length <= 80 && !now.over ? now.legal : [];
      choices.replaceChildren(...few.map(move => el("button", {class: "plain", onclick: () => act(move)}, move)));
      send.disabled = hint.disabled = text.disabled = now.over;
    }
    function pick(cell) { // one click is a move where a cell or its column is one; else the second one makes it
      const whole = [cell, cell[0], chosen + cell, chosen + cell + "q"].find(move => now.legal.includes(move));
      if (whole) { chosen = ""; act(whole); return; }
      chosen = now.legal.some(move => move.startsWith(cell)) ? cell : "";
      show();
    }
    async function turn(question) {
      if (busy) return;
      busy = true;
      try {
        now = await ask(question);
        chosen = "";
        say("game", now.said);
        if (now.over) log.prepend(el("p", {class: "notice " + (now.solved ? "good" : "")}, now.verdict));
        show();
      } catch (error) { log.prepend(trouble(error)); }
      busy = false;
      if (now && !now.over) text.focus();
    }
    const act = move => { if (busy || !now || now.over || !move.trim()) return; say("you", move, "agent"); text.value = ""; turn({what: "step", action: move}); };
    const start = question => { log.replaceChildren(); turn(question); };
    text.addEventListener("keydown", event => { if (event.key === "Enter" && !event.shiftKey) { event.preventDefault(); act(text.value); } });
    root.append(el("h1", {}, manifest.title), board, choices, el("div", {class: "row"}, text, send, hint, again, el("span", {class: "soft"}, "Click a cell, or a piece and where it goes, or write the move and press Enter.")), log);
    start({what: "begin"});
    return {};
  },
});
