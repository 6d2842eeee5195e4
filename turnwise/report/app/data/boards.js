// Boards of games, drawn from their texts: rows with their numbers in front, and nothing that knows a game.

const CHESS = {k: "♚", q: "♛", r: "♜", b: "♝", n: "♞", p: "♟"};

function gridsOf(text) { // [{text}] and [{rows: [{label, shift, cells}], columns}] in the order of the lines
  const found = [];
  let rows = [];
  const close = () => {
    if (rows.length >= 3) found.push({rows});
    else rows.forEach(row => found.push({text: row.line}));
    rows = [];
  };
  for (const line of text.split("\n")) {
    const match = /^( *)(\d+) (\S(?: \S)+)$/.exec(line), cells = match && match[3].split(" ");
    if (cells && rows.length && rows[0].cells.length !== cells.length) close();
    if (cells) rows.push({line, label: match[2], shift: match[1].length + match[2].length, cells});
    else { const last = rows.length; close(); if (!(last >= 3 || /^ *[a-z]( [a-z])+$/.test(line)) || !/^ *[a-z]( [a-z])+$/.test(line)) found.push({text: line}); }
  }
  close();
  return found;
}

function drawnBoard(text, pick, chosen) { // pick(cell): a cell was clicked; chosen: the name of one that is marked
  const nodes = [];
  let words = [];
  const flush = () => { if (words.join("").trim()) nodes.push(el("pre", {class: "text"}, words.join("\n"))); words = []; };
  for (const part of gridsOf(text)) {
    if (part.text !== undefined) words.push(part.text);
    else { flush(); nodes.push(gridSvg(part.rows, pick, chosen)); }
  }
  flush();
  return nodes;
}

function gridSvg(rows, pick, chosen) {
  const size = 36, across = rows[0].cells.length, least = Math.min(...rows.map(r => r.shift));
  const chess = across === 8 && rows.length === 8 && rows.some(r => r.cells.some(c => /[kK]/.test(c)));
  const slant = Math.max(...rows.map(r => r.shift)) - least > 1;
  const wide = (across + 1 + (slant ? rows.length / 2 : 0)) * size, high = (rows.length + 1) * size, parts = [];
  rows.forEach((row, y) => {
    const left = size + (slant ? y * size / 2 : 0);
    parts.push(svg("text", {x: left - size / 2, y: (y + 0.62) * size, class: "mark"}, row.label));
    row.cells.forEach((cell, x) => {
      const cx = left + (x + 0.5) * size, cy = (y + 0.5) * size;
      const name = String.fromCharCode(97 + x) + row.label, look = `square${(x + y) % 2 ? " odd" : ""}${name === chosen ? " chosen" : ""}`;
      parts.push(svg("rect", {x: left + x * size, y: y * size, width: size, height: size, class: look, "data-cell": name, onclick: pick && (() => pick(name))}));
      if (cell === ".") return;
      if (chess && CHESS[cell.toLowerCase()]) parts.push(svg("text", {x: cx, y: cy + size * 0.3, class: cell === cell.toLowerCase() ? "man black" : "man white"}, CHESS[cell.toLowerCase()]));
      else if (/[XxOo]/.test(cell)) {
        parts.push(svg("circle", {cx, cy, r: size * 0.38, class: /[Xx]/.test(cell) ? "disc first" : "disc second"}),
          svg("text", {x: cx, y: cy + size * 0.15, class: "mark on"}, cell));
      } else parts.push(svg("text", {x: cx, y: cy + size * 0.15, class: "mark"}, cell));
    });
  });
  rows[0].cells.forEach((_, x) => parts.push(svg("text", {x: size + (slant ? (rows.length - 1) * size / 2 : 0) + (x + 0.5) * size, y: (rows.length + 0.6) * size, class: "mark"}, String.fromCharCode(97 + x))));
  return svg("svg", {viewBox: `0 0 ${wide} ${high}`, style: `width: ${wide}px`, class: pick ? "gameboard playable" : "gameboard", role: "img", "aria-label": rows.map(r => `${r.label}: ${r.cells.join(" ")}`).join("; ")}, parts);
}
