// What pages of turnwise's sites do without asking the server, declared by data-tw-* attributes.
// worlds/web/browser/page/behave.py does the same in Python, for the driver without a browser; keep them equal.
(() => {
  "use strict";
  const CLICK = "[data-tw-toggle],[data-tw-tab],[data-tw-get],[data-tw-remove]";

  // ---- what is under way: fetches of this script and of the page's own ----
  let open = 0;
  let waiting = [];
  const plain = window.fetch.bind(window);
  const task = () => new Promise((done) => setTimeout(done));
  const closed = () => {
    open -= 1;
    if (open === 0) for (const done of waiting.splice(0)) done();
  };
  // Counts a promise among what twIdle waits for, and gives it back.
  window.twBusy = (promise) => {
    open += 1;
    Promise.resolve(promise).catch(() => {}).then(closed);
    return promise;
  };
  // A promise of the moment when nothing is under way and what followed from it is done.
  window.twIdle = async () => {
    while (open > 0) {
      await new Promise((done) => waiting.push(done));
      await task();
    }
  };
  window.fetch = (...request) => {
    const answer = plain(...request);
    window.twBusy(answer.then((response) => response.clone().arrayBuffer()));
    return answer;
  };

  const named = (id) => document.getElementById(id);
  const eventOf = (element) =>
    element.dataset.twOn ||
    (element.matches("select,input[type=checkbox],input[type=radio]") ? "change" : element.matches("input,textarea") ? "input" : "click");

  // ---- fragments, one after the other in the order they were asked for ----
  let line = Promise.resolve();
  const load = (element) => {
    const form = element.form || element.closest("form");
    const checkable = element.type === "checkbox" || element.type === "radio";
    const own = element.name && (!checkable || element.checked) ? [[element.name, element.value ?? ""]] : [];
    const address = new URL(element.dataset.twGet, location.href);
    const pairs = new URLSearchParams();
    for (const [name, value] of form ? new FormData(form) : own) pairs.append(name, value.name ?? value);
    if (String(pairs)) address.search += (address.search && "&") + pairs; // what is there stays as it is written
    const { twTarget, twSwap } = element.dataset;
    line = line.then(async () => {
      const answer = await plain(address, { headers: { "x-tw-fragment": "1" } });
      const html = await answer.text();
      const target = named(twTarget);
      if (!answer.ok || !target) return;
      if (twSwap === "append") target.insertAdjacentHTML("beforeend", html);
      else target.innerHTML = html;
    }).catch(() => {});
    window.twBusy(line);
  };

  // ---- clicks ----
  const toggle = (element) => {
    const panel = named(element.dataset.twToggle);
    if (!panel) return;
    panel.hidden = !panel.hidden;
    element.setAttribute("aria-expanded", String(!panel.hidden));
  };
  const choose = (element) => {
    const panel = named(element.dataset.twTab);
    if (!panel) return;
    const group = panel.dataset.twGroup;
    for (const other of document.querySelectorAll("[data-tw-group]")) {
      if (other !== panel && other.dataset.twGroup === group) other.hidden = true;
    }
    panel.hidden = false;
    for (const tab of document.querySelectorAll("[data-tw-tab]")) {
      if (named(tab.dataset.twTab)?.dataset.twGroup === group) tab.setAttribute("aria-selected", String(tab.dataset.twTab === panel.id));
    }
  };
  const clicked = (element) => {
    const data = element.dataset;
    return "twToggle" in data || "twTab" in data || "twRemove" in data || ("twGet" in data && eventOf(element) === "click");
  };
  document.addEventListener("click", (event) => {
    leave(event.target);
    let element = event.target.closest(CLICK);
    while (element && !clicked(element)) element = element.parentElement?.closest(CLICK);
    if (!element) return;
    if (element.matches("a,button")) event.preventDefault();
    const data = element.dataset;
    if ("twToggle" in data) toggle(element);
    if ("twTab" in data) choose(element);
    if ("twGet" in data && eventOf(element) === "click") load(element);
    if ("twRemove" in data) named(data.twRemove)?.remove();
  });

  document.addEventListener("keydown", (event) => {
    const dialog = event.key === "Escape" && [...document.querySelectorAll("[data-tw-modal]")].filter((one) => one.checkVisibility()).pop();
    if (dialog?.id) dialog.querySelector(`[data-tw-remove="${CSS.escape(dialog.id)}"]`)?.click();
  });

  // ---- fields ----
  for (const kind of ["input", "change"]) {
    document.addEventListener(kind, (event) => {
      const element = event.target;
      if ("twGet" in element.dataset && eventOf(element) === kind) load(element);
      if (kind === "change" && "twSubmit" in element.dataset && element.form) element.form.requestSubmit();
    });
  }

  // ---- hovering: a panel is shown until something outside of it and of what opened it is hovered or clicked ----
  const HOVERED = "data-tw-hovered";
  const leave = (target) => {
    const opener = document.querySelector(`[${HOVERED}]`);
    if (!opener) return;
    const panel = named(opener.dataset.twHover);
    if (opener.contains(target) || panel?.contains(target)) return;
    if (panel) panel.hidden = true;
    opener.removeAttribute(HOVERED);
  };
  document.addEventListener("mouseover", (event) => {
    leave(event.target);
    const element = event.target.closest("[data-tw-hover]");
    const panel = element && named(element.dataset.twHover);
    if (!panel) return;
    for (const other of document.querySelectorAll(`[${HOVERED}]`)) other.removeAttribute(HOVERED);
    element.setAttribute(HOVERED, "");
    panel.hidden = false;
  });
})();
