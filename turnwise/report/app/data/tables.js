// Tables that sort by their header, and become blocks of name and value where the screen is narrow.
//
// columns: [{name, cell(row) -> text or element, value(row) -> number or text to sort by, figure, title}]. Columns that
// are empty in all rows are left out. A row may have a href, which Enter or a click opens.

function table(columns, rows, options = {}) {
  const cells = rows.map(row => columns.map(column => column.cell(row)));
  const used = columns.map((column, i) => column.always || cells.some(line => line[i] !== "" && line[i] !== null && line[i] !== undefined));
  const shownColumns = columns.filter((_, i) => used[i]);
  let order = rows.map((_, i) => i), by = null, down = true;
  const head = el("tr", {}, shownColumns.map(column => el("th", {scope: "col", "aria-sort": "none", title: column.title || null,
    class: column.figure === false ? "words" : null},
    column.value ? el("button", {class: "plain", onclick: () => sort(column)}, column.name) : column.name)));
  const body = el("tbody");
  const lines = rows.map((row, r) => {
    const line = el("tr", {class: row.kind || null}, columns.flatMap((column, i) => {
      if (!used[i]) return [];
      const cell = cells[r][i], empty = cell === "" || cell === null || cell === undefined;
      return el("td", {"data-name": column.name, class: (column.figure === false ? "words" : "figure") + (empty ? " empty" : "")},
        i === 0 && row.href ? el("a", {href: row.href}, cell) : cell);
    }));
    return line;
  });
  function sort(column) {
    down = by === column ? !down : column.figure !== false;
    by = column;
    order = rows.map((_, i) => i).sort((a, b) => {
      const [x, y] = [column.value(rows[a]), column.value(rows[b])];
      const empty = v => v === null || v === undefined || v === "";
      if (empty(x) || empty(y)) return empty(x) - empty(y);
      return (x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1);
    });
    [...head.children].forEach((th, i) =>
      th.setAttribute("aria-sort", shownColumns[i] === column ? (down ? "descending" : "ascending") : "none"));
    place();
  }
  function place() { body.replaceChildren(...order.map(i => lines[i])); }
  place();
  return el("div", {class: "card table" + (options.wide ? " wide" : "")}, el("table", {}, el("thead", {}, head), body));
}

// A long list that holds only the rows that are seen. draw(row, index) gives an element of the height --row.
class LongList {
  constructor(draw, open) {
    this.draw = draw; this.open = open; this.rows = []; this.selected = -1; this.drawn = new Map();
    this.inner = el("div", {class: "list-inner", role: "presentation"});
    this.node = el("div", {class: "card list", tabindex: "0", role: "listbox", "aria-label": "Episodes"}, this.inner);
    this.node.addEventListener("scroll", () => this.paint(), {passive: true});
    this.resized = () => this.paint(true);
    addEventListener("resize", this.resized);
    this.printing = () => this.paint(true, 1000);
    addEventListener("beforeprint", this.printing);
    this.inner.addEventListener("click", event => {
      const line = event.target.closest("[data-index]");
      if (line && !event.target.closest("a")) this.open(this.rows[Number(line.dataset.index)]);
    });
  }
  leave() { removeEventListener("resize", this.resized); removeEventListener("beforeprint", this.printing); }
  height() { return parseFloat(getComputedStyle(this.node).getPropertyValue("--row")) || 44; }
  set(rows, keep) {
    this.rows = rows;
    if (!keep) { this.selected = -1; this.node.scrollTop = 0; }
    this.paint(true);
  }
  paint(anew, all) {
    const high = this.height(), from = all ? 0 : Math.max(0, Math.floor(this.node.scrollTop / high) - 8);
    const to = all ? Math.min(all, this.rows.length) : Math.min(this.rows.length, from + Math.ceil(this.node.clientHeight / high) + 16);
    this.inner.style.height = `${(all ? to : this.rows.length) * high}px`;
    this.node.classList.toggle("whole", Boolean(all));
    if (anew) { this.inner.replaceChildren(); this.drawn.clear(); }
    for (const [index, line] of this.drawn) if (index < from || index >= to) { line.remove(); this.drawn.delete(index); }
    for (let i = from; i < to; i++) {
      let line = this.drawn.get(i);
      if (!line) {
        line = this.draw(this.rows[i], i);
        line.dataset.index = i;
        line.style.top = `${i * high}px`;
        line.setAttribute("role", "option");
        this.drawn.set(i, line);
        this.inner.append(line);
      }
      line.classList.toggle("selected", i === this.selected);
      line.setAttribute("aria-selected", i === this.selected);
    }
  }
  move(by) {
    if (!this.rows.length) return;
    this.selected = Math.max(0, Math.min(this.rows.length - 1, this.selected + by));
    const high = this.height(), top = this.selected * high, node = this.node;
    if (top < node.scrollTop) node.scrollTop = top;
    else if (top + high > node.scrollTop + node.clientHeight) node.scrollTop = top + high - node.clientHeight;
    this.paint();
  }
}
