// Put into every document by worlds/web/browser/chromium.py before the page's own scripts: acts on elements by their numbers
// and hands back the live document as HTML. `numbered` selects the elements that get a number, `now` is the time in ms.
((numbered, now) => {
  "use strict";
  if (window !== window.top || "__turnwise" in window) return;

  // The episode's time, chance that is the same in every run, and no windows.
  if (now !== null) {
    const Real = Date;
    window.Date = class Date extends Real {
      constructor(...parts) {
        super(...(parts.length ? parts : [now]));
      }
      static now() {
        return now;
      }
    };
  }
  let state = 1;
  Math.random = () => (state = (state * 48271) % 2147483647) / 2147483647;
  window.open = () => null;

  const id = performance.timeOrigin;  // of the document

  // ---- numbers: given once, in document order, kept while the document stays ----
  const numbers = new WeakMap();
  const elements = new Map();
  let last = 0;
  const number = (element) => {
    if (!numbers.has(element)) {
      numbers.set(element, ++last);
      elements.set(last, new WeakRef(element));
    }
    return numbers.get(element);
  };

  // ---- the document as HTML, with numbers and the live state of fields in attributes; the page itself is not touched ----
  const MARKS = ["data-tw-n", "data-tw-focus", "data-tw-live", "data-tw-restored"];
  const everything = `${numbered},option`;
  const inert = document.implementation.createHTMLDocument("");
  const boxes = new Set(["checkbox", "radio"]);
  const liveState = (element) => {
    if (element.localName === "option") return element.selected;
    if (element.localName === "input" && boxes.has(element.type)) return element.checked;
    if (element.localName === "textarea" || (element.localName === "input" && element.type !== "file")) return element.value;
    return null;
  };
  const asAttribute = (twin, value) => {
    if (twin.localName === "textarea") twin.textContent = value;
    else if (value === true || value === false) twin.toggleAttribute(twin.localName === "option" ? "selected" : "checked", value);
    else twin.setAttribute("value", value);
  };
  const snapshot = (whole = false) => {
    const root = document.documentElement;
    if (!root) return { html: "", url: location.href, id };
    const copy = inert.importNode(root, true);
    for (const mark of MARKS) for (const forged of copy.querySelectorAll(`[${mark}]`)) forged.removeAttribute(mark);
    const twins = copy.querySelectorAll(everything);
    document.querySelectorAll(everything).forEach((element, place) => {
      const twin = twins[place];
      if (element.localName !== "option") twin.setAttribute("data-tw-n", number(element));
      if (element === document.activeElement) twin.setAttribute("data-tw-focus", "");
      const value = liveState(element);
      if (value === null) return;
      if (whole) twin.setAttribute("data-tw-live", value);  // what a reset brings back stays where it is
      else asAttribute(twin, value);
    });
    for (const block of copy.querySelectorAll("pre,listing,textarea")) {  // a parser drops their first line break
      if (block.firstChild?.nodeValue?.startsWith("\n")) block.firstChild.nodeValue = `\n${block.firstChild.nodeValue}`;
    }
    if (whole) copy.setAttribute("data-tw-restored", last);
    else for (const unread of copy.querySelectorAll("script,noscript")) unread.remove();
    return { html: (document.doctype ? "<!DOCTYPE html>" : "") + copy.outerHTML, url: location.href, id };
  };
  // Takes up the state of a document that `snapshot(true)` wrote.
  document.addEventListener("DOMContentLoaded", () => {
    const root = document.documentElement;
    if (!root.hasAttribute("data-tw-restored")) return;
    for (const element of document.querySelectorAll("[data-tw-n]")) {
      numbers.set(element, Number(element.getAttribute("data-tw-n")));
      elements.set(numbers.get(element), new WeakRef(element));
    }
    last = Number(root.getAttribute("data-tw-restored"));
    for (const element of document.querySelectorAll("[data-tw-live]")) {
      const value = element.getAttribute("data-tw-live");
      if (element.localName === "option") element.selected = value === "true";
      else if (boxes.has(element.type)) element.checked = value === "true";
      else element.value = value;
    }
    document.querySelector("[data-tw-focus]")?.focus({ preventScroll: true });
    for (const mark of MARKS) for (const element of document.querySelectorAll(`[${mark}]`)) element.removeAttribute(mark);
  });

  // ---- whether the document is about to be left ----
  let leaving = false;
  window.addEventListener("submit", (event) => {
    if (!event.defaultPrevented && event.target.method !== "dialog") leaving = true;
  });
  window.navigation?.addEventListener("navigate", (event) => {
    if (!event.destination.sameDocument && event.downloadRequest === null) leaving = true;
  });
  const task = () => new Promise((done) => setTimeout(done));
  const loaded = () => new Promise((done) => window.addEventListener("load", done));

  // The document once it is loaded and nothing is under way in it. Never, for a document that is being left.
  const settled = async () => {
    if (document.readyState !== "complete") await loaded();
    await window.twIdle?.();
    return leaving ? new Promise(() => {}) : snapshot();
  };

  // ---- acting ----
  const set = (kind) => Object.getOwnPropertyDescriptor(kind.prototype, "value").set;
  const setters = { input: set(HTMLInputElement), textarea: set(HTMLTextAreaElement) };
  const tell = (element, ...kinds) => {
    for (const kind of kinds) element.dispatchEvent(new Event(kind, { bubbles: true }));
  };
  let under = null;
  const move = (element, kind, other) => {
    const bubbles = !/(enter|leave)$/.test(kind);
    element.dispatchEvent(new (kind.startsWith("pointer") ? PointerEvent : MouseEvent)(kind, { bubbles, cancelable: bubbles, relatedTarget: other, view: window }));
  };
  const focus = (element) => element.focus({ preventScroll: true });
  const acts = {
    focus,
    click(element) {
      for (const name of ["target", "download"]) element.closest(`[${name}]`)?.removeAttribute(name);
      focus(element);
      element.click();
    },
    fill(element, text) {
      focus(element);
      setters[element.localName].call(element, text);
      tell(element, "input", "change");
    },
    select(element, places) {
      focus(element);
      const before = [...element.selectedOptions];
      if (element.multiple) [...element.options].forEach((option, place) => (option.selected = places.includes(place)));
      else element.selectedIndex = places[0];
      const after = [...element.selectedOptions];
      if (before.length !== after.length || before.some((option, place) => option !== after[place])) tell(element, "input", "change");
    },
    check(element, wanted) {
      focus(element);
      if (element.checked !== wanted) element.click();
    },
    hover(element) {
      if (under?.isConnected) for (const kind of ["pointerout", "pointerleave", "mouseout", "mouseleave"]) move(under, kind, element);
      for (const kind of ["pointerover", "pointerenter", "mouseover", "mouseenter", "mousemove"]) move(element, kind, under);
      under = element;
    },
    submit(element) {
      (element.form ?? element).requestSubmit();
    },
  };

  // Forms open nothing, are judged by the server alone, and send no files.
  const plainForms = () => {
    for (const form of document.forms) {
      form.noValidate = true;
      form.removeAttribute("target");
      form.enctype = "application/x-www-form-urlencoded";
    }
  };

  // Does one thing; the document afterwards, or null if it is being left. In another document than the one that the
  // number was read from, nothing is done.
  const act = async (read, verb, place, argument) => {
    const element = elements.get(place)?.deref();
    if (read !== id || !element?.isConnected) return settled();
    plainForms();
    acts[verb](element, argument);
    if (!leaving) await task();  // where a form is posted, that begins a task later
    return leaving ? null : settled();
  };

  Object.defineProperty(window, "__turnwise", { value: Object.freeze({ act, settled, snapshot }) });
})
