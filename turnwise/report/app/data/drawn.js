// Texts as people read them: boards of letters as boards, rows of values as tables, calls of tools folded.
//
// A board is a run of lines that look alike: as many letters, or as many tokens, in each. Nothing here knows a game.

const TOOL = /<(?!(?:answer|think)\b)([a-z][a-z_0-9]{1,30})((?:\s[^<>]{0,200})?)>([\s\S]*?)<\/\1>/g;
const HIDDEN_TEXT = /<(think)>([\s\S]*?)<\/think>/g;

function marked(text) { // the words that were searched for, highlighted
  const words = (listQuery.q || "").trim();
  if (!words) return [text];
  const pattern = new RegExp(words.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "gi"), parts = [];
  let last = 0;
  for (let match; (match = pattern.exec(text)) !== null && parts.length < 2000;) {
    parts.push(text.slice(last, match.index), el("mark", {}, match[0]));
    last = match.index + match[0].length;
  }
  return [...parts, text.slice(last)];
}
const plainText = text => text.trim() ? el("pre", {}, marked(text.replace(/^\n+|\s+$/g, ""))) : null;

// ---- boards and tables ----------------------------------------------------------------------------------------------

function cellsOf(line) { // {kind, cells} of a line that may belong to a board or table, or null
  if (/ \| /.test(line) && line.length < 2000) return {kind: "table", cells: line.replace(/^\| | \|$/g, "").split(" | ")};
  const tokens = line.trim().split(" ");
  if (tokens.length > 1 && tokens.length <= 40) {
    if (tokens.every(t => /^(?=[udlr])u?d?l?r?$/.test(t))) return {kind: "maze", cells: tokens};
    if (tokens.length > 2 && tokens.every(t => [...t].length === 1)) return {kind: "grid", cells: tokens};
  }
  const letters = [...line];
  if (tokens.length === 1 && letters.length >= 3 && letters.length <= 60 && /[#._@$*+\-|~^√□■]/.test(line) && !/[a-z]{3}|[.…]{4}/.test(line))
    return {kind: "letters", cells: letters};
  return null;
}
function pieces(text) { // [{text} or {kind, rows}]
  const found = [];
  let words = [], rows = [], now = null;
  const close = () => {
    const least = now && (now.kind === "table" || now.kind === "maze") ? 2 : 3;
    if (now && rows.length >= least) {
      if (words.length) found.push({text: words.join("\n")});
      found.push({kind: now.kind, rows: rows.map(r => r.cells), source: rows.map(r => r.line).join("\n")});
      words = [];
    } else words.push(...rows.map(r => r.line));
    rows = []; now = null;
  };
  for (const line of text.split("\n")) {
    const cells = cellsOf(line);
    if (!cells) { close(); words.push(line); continue; }
    if (now && (cells.kind !== now.kind || cells.cells.length !== now.cells.length)) close();
    now = cells;
    rows.push({line, cells: cells.cells});
  }
  close();
  if (words.length) found.push({text: words.join("\n")});
  return found;
}
function places(text) { // cells that the words name, such as "At b3." and "Goal d4."
  const found = {};
  for (const [, word, column, row] of text.matchAll(/\b(At|Goal) ([a-z])(\d{1,2})\b/g)) found[`${row - 1},${column.charCodeAt(0) - 97}`] = word;
  return found;
}
function board(kind, rows, where, boxes) {
  if (kind === "table") return el("div", {class: "scroll"}, el("table", {class: "result"},
    el("thead", {}, el("tr", {}, rows[0].map(cell => el("th", {}, marked(cell))))),
    el("tbody", {}, rows.slice(1).map(row => el("tr", {}, row.map(cell => el("td", {class: cell === "NULL" ? "null" : null}, marked(cell))))))));
  const wide = Math.max(...rows.map(row => row.length));
  return el("div", {class: `board ${kind}`, style: `--across:${wide}`, role: "img", "aria-label": `a board of ${rows.length} by ${wide}`},
    rows.flatMap((row, r) => row.map((cell, c) => {
      const place = where[`${r},${c}`], look = ["cell"];
      if (kind === "maze") for (const [side, letter] of [["up", "u"], ["down", "d"], ["left", "l"], ["right", "r"]]) if (!cell.includes(letter)) look.push(`wall-${side}`);
      if (kind !== "maze") look.push(cell === "#" || cell === "■" ? "wall" : /[._·~]/.test(cell) ? "floor" : /[0-9]/.test(cell) ? "digit" : `letter l${cell.codePointAt(0) % 6}`);
      if (place) look.push(place === "At" ? "agent-here" : "goal-here");
      if (boxes && r && r % boxes[0] === 0) look.push("box-top");
      if (boxes && c && c % boxes[1] === 0) look.push("box-left");
      return el("span", {class: look.join(" ")}, kind === "maze" ? (place === "At" ? "●" : place === "Goal" ? "★" : "")
        : place === "At" ? "●" : /[._·]/.test(cell) ? "" : cell);
    })));
}
// An observation, drawn; `state` remembers the last board, so that a position that is only named is shown on it.
function drawnText(text, state) {
  const boxes = text.match(/\((\d+) rows x (\d+) columns\)/);
  if (boxes) state.boxes = [Number(boxes[1]), Number(boxes[2])];
  const where = places(text), found = pieces(text), nodes = [];
  const goal = Object.entries(where).find(([, word]) => word === "Goal");
  if (goal) state.goal = goal[0];
  if (state.goal && !where[state.goal]) where[state.goal] = "Goal";
  const boards = found.filter(piece => piece.kind && piece.kind !== "table");
  for (const piece of found) {
    if (piece.text !== undefined) nodes.push(plainText(piece.text));
    else {
      nodes.push(board(piece.kind, piece.rows, where, state.boxes));
      if (piece.kind !== "table") state.board = piece;
    }
  }
  if (!boards.length && state.board && state.board.kind !== "letters" && Object.values(where).includes("At"))
    nodes.push(board(state.board.kind, state.board.rows, where, state.boxes));
  return nodes;
}

// ---- calls and answers ----------------------------------------------------------------------------------------------

function folded(name, look, text, nodes, open) {
  const first = text.trim().split("\n")[0].slice(0, 120);
  return el("details", {class: `fold ${look}`, open}, el("summary", {}, el("b", {}, name), el("span", {class: "head"}, first)), nodes || plainText(text));
}
function agentText(text) {
  const nodes = [];
  let last = 0;
  const found = [...text.matchAll(TOOL), ...text.matchAll(HIDDEN_TEXT)].sort((a, b) => a.index - b.index);
  for (const match of found) {
    if (match.index < last) continue;
    nodes.push(plainText(text.slice(last, match.index)));
    if (match[1] === "think") nodes.push(folded("thoughts", "think", match[2]));
    else nodes.push(call(match[1], match[2], match[3]));
    last = match.index + match[0].length;
  }
  nodes.push(plainText(text.slice(last)));
  return nodes.some(Boolean) ? nodes : [el("pre", {class: "soft"}, "(nothing)")];
}
function call(name, attributes, inner) {
  if (name === "tool_call") {
    try {
      const given = JSON.parse(inner), values = given.arguments && typeof given.arguments === "object" ? Object.entries(given.arguments) : [];
      const words = values.map(([k, v]) => `${k}: ${typeof v === "string" ? v : JSON.stringify(v)}`).join("\n");
      return folded(String(given.name).slice(0, 80), "call", words || "no arguments");
    } catch { /* not JSON: as it is */ }
  }
  return folded(name + attributes.slice(0, 100), "call", inner);
}
function environmentText(text, state) {
  const nodes = [];
  let last = 0;
  for (const match of text.matchAll(/<(tool_response|tool_error)>([\s\S]*?)<\/\1>/g)) {
    if (match.index > last) nodes.push(drawnText(text.slice(last, match.index), state));
    const long = match[2].length > 600 || match[2].split("\n").length > 12;
    nodes.push(folded(match[1] === "tool_error" ? "error" : "answer of the tool", "answer", match[2], drawnText(match[2], state), !long));
    last = match.index + match[0].length;
  }
  if (last < text.length) nodes.push(drawnText(text.slice(last), state));
  return nodes.flat().some(Boolean) ? nodes : [el("pre", {class: "soft"}, "(nothing)")];
}
