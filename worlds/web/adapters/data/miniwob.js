// Runs in a page of MiniWoB++ before the page's own scripts: remembers what listens to clicks and which timers are
// pending, takes the time limit away, and writes the live page as HTML with numbers for
// turnwise.worlds.web.browser.page.dom.
(() => {
  "use strict";
  const SHORT_MS = 1000; // timers up to this long are waited for
  const LONGEST_MS = 2 ** 31 - 1; // that a timer can take
  const NATIVE = "a[href],button,input:not([type=hidden i]),select,textarea,summary";
  const ACTIVE =
    "[onclick],[tabindex]:not([tabindex^='-']),[role=button],[role=checkbox],[role=link],[role=menuitem],[role=option]," +
    "[role=radio],[role=tab],[draggable=true]";
  const PASSIVE = "body,svg,#area,#wrap,[role=dialog],.ui-draggable"; // they listen on behalf of others
  const LISTS = "ol,ul,li,table,tbody,tr,td"; // these too, when they hold something active
  const OWN = new Set(["reward-display", "sync-task-cover", "click-canvas", "attention-canvas", "query"]); // not the task's
  const UNREAD = new Set(["script", "style", "template", "noscript", "canvas", "head", "title"]);
  const KEPT = new Set(
    ("alt checked colspan disabled for href id label max maxlength min multiple name open placeholder readonly role " +
      "rowspan scope selected size tabindex title type value").split(" "),
  );
  const SHAPES = new Set("circle ellipse line path polygon polyline rect".split(" "));
  const CLICKS = new Set(["click", "dblclick", "mousedown", "mouseup", "pointerdown"]);

  // ---- what listens ----
  const listening = new WeakMap(); // node -> types of events
  const add = EventTarget.prototype.addEventListener;
  EventTarget.prototype.addEventListener = function (type, ...rest) {
    if (CLICKS.has(type) && this instanceof Element) {
      if (!listening.has(this)) listening.set(this, new Set());
      listening.get(this).add(type);
    }
    return add.call(this, type, ...rest);
  };
  const remove = EventTarget.prototype.removeEventListener;
  EventTarget.prototype.removeEventListener = function (type, ...rest) {
    listening.get(this)?.delete(type);
    return remove.call(this, type, ...rest);
  };
  const delegated = (root) => {
    // what jQuery listens for on behalf of others
    const read = window.jQuery?._data;
    const chosen = [];
    if (read)
      for (const holder of [document, ...root.querySelectorAll("*")])
        for (const { selector } of read(holder, "events")?.click ?? [])
          if (selector) chosen.push(...(holder.body ?? holder).querySelectorAll(selector));
    return new Set(chosen);
  };

  // ---- what is pending ----
  const pending = new Set();
  const later = window.setTimeout.bind(window);
  const forget = window.clearTimeout.bind(window);
  window.setTimeout = (work, ms, ...rest) => {
    const id = later(
      (...values) => {
        pending.delete(id);
        typeof work === "function" ? work(...values) : (0, eval)(work);
      },
      ms, ...rest,
    );
    if (!(ms > SHORT_MS)) pending.add(id);
    return id;
  };
  window.clearTimeout = (id) => {
    pending.delete(id);
    forget(id);
  };
  const settled = (done) => {
    const until = performance.now() + SHORT_MS;
    const poll = () => {
      const busy = pending.size || window.jQuery?.timers?.length;
      busy && performance.now() < until ? later(poll, 10) : done();
    };
    poll();
  };

  // ---- the same day in every run ----
  const offset = Date.UTC(2020, 0, 1, 12) - Date.now();
  const Real = Date;
  window.Date = class Date extends Real {
    constructor(...values) {
      values.length ? super(...values) : super(Real.now() + offset);
    }
    static now() {
      return Real.now() + offset;
    }
  };

  // ---- no time limit: `var core = {}` of the page goes through this ----
  let core;
  Object.defineProperty(window, "core", {
    configurable: true,
    get: () => core,
    set: (made) => {
      core = made;
      Object.defineProperty(made, "EPISODE_MAX_TIME", { get: () => LONGEST_MS, set: () => {} });
    },
  });

  // ---- the page as HTML ----
  const numbers = new WeakMap(); // element -> its number
  const elements = [null]; // by number
  const escaped = (text) => String(text).replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
  const classes = (node) =>
    String(node.className?.baseVal ?? node.className)
      .split(/\s+/)
      .filter((word) => word && !/^ui-(button|corner|icon-only|state|widget)/.test(word))
      .map((word) => word.replace(/^ui-/, ""));
  const blank = /^(rgba\(0, 0, 0, 0\)|transparent|none)$/;

  const clickable = (node, style, others) => {
    if (node.matches(NATIVE)) return true;
    if (node.matches(PASSIVE) || (node.matches(LISTS) && node.querySelector(NATIVE + ",[role=menuitem]"))) return false;
    const types = listening.get(node);
    if (node.onclick || others.has(node) || types?.has("click") || types?.has("dblclick")) return true;
    if (node.querySelector(NATIVE)) return false;
    if (node.matches(ACTIVE) || (types?.size && !node.children.length)) return true;
    const above = node.parentElement;
    return style.cursor === "pointer" && !!above && getComputedStyle(above).cursor !== "pointer";
  };
  const look = (node, style, rect) => {
    // what an element without a text looks like, in words
    const words = classes(node);
    if (SHAPES.has(node.tagName)) {
      const fill = node.getAttribute("fill") ?? node.style.fill;
      const at = [rect.left + rect.width / 2, rect.top + rect.height / 2, rect.width, rect.height].map(Math.round);
      const points = node.points ? `${node.points.numberOfItems} corners` : "";
      words.push(node.tagName, points, fill && fill !== "none" ? fill : style.fill);
      words.push(`${at[2]}x${at[3]} at (${at[0]}, ${at[1]})`);
    } else if (node.style.backgroundColor || !words.length) {
      words.push(blank.test(style.backgroundColor) ? "" : node.style.backgroundColor || style.backgroundColor);
    }
    return words.filter(Boolean).join(" ") || node.id;
  };

  const written = (root) => {
    const others = delegated(root);
    const out = [];
    const refs = {};
    const write = (node) => {
      if (node.nodeType === Node.TEXT_NODE) {
        out.push(escaped(node.data));
        return;
      }
      if (node.nodeType !== Node.ELEMENT_NODE) return;
      const tag = node.tagName.toLowerCase();
      if (OWN.has(node.id) || UNREAD.has(tag)) return;
      const rect = node.getBoundingClientRect();
      const inSelect = tag === "option" || tag === "optgroup";
      if (!inSelect && tag !== "br" && (rect.width === 0 || rect.height === 0)) return; // as MiniWoB++ itself has it
      const style = getComputedStyle(node);
      const seen = inSelect || style.visibility !== "hidden";
      const number = seen && !inSelect && clickable(node, style, others);
      const shape = SHAPES.has(node.tagName);
      const inSvg = node.ownerSVGElement || tag === "svg";
      const kind = inSvg ? "span" : tag;
      out.push(`<${kind}`);
      if (number && node.dataset.wob_ref) {
        if (!numbers.has(node)) numbers.set(node, elements.push(node) - 1);
        out.push(` data-tw-n="${numbers.get(node)}"`);
        refs[numbers.get(node)] = +node.dataset.wob_ref;
        if (!node.matches(NATIVE) && !shape) out.push(' onclick=""');
        if (document.activeElement === node) out.push(' data-tw-focus=""');
      }
      if (shape) out.push(` role="img" aria-label="${escaped(look(node, style, rect))}"`);
      else if (!inSvg) {
        const field = tag === "input" && !/^(checkbox|radio)$/.test(node.type);
        for (const { name, value } of node.attributes) {
          if (/^(checked|selected)$/.test(name) || (field && name === "value")) continue; // the live ones follow
          if (name === "href") out.push(' href="#"');
          else if (name === "role" && number && /^(none|presentation)$/.test(value)) continue;
          else if (KEPT.has(name) || name.startsWith("aria-")) out.push(` ${name}="${escaped(value)}"`);
        }
        if (field) out.push(` value="${escaped(node.value)}"`);
        if (node.checked) out.push(' checked=""');
        if (tag === "option" && node.selected) out.push(' selected=""');
        const bare = !node.textContent.trim() && !/^(input|select|textarea)$/.test(tag);
        if (bare && !node.title && !node.querySelector("img,svg,input") && (number || node.style.backgroundColor))
          out.push(` ${number ? "title" : 'role="img" aria-label'}="${escaped(look(node, style, rect))}"`);
      }
      out.push(">");
      if (tag === "textarea") out.push(escaped(node.value.replace(/^\n/, "\n\n")));
      else if (seen) for (const child of node.childNodes) write(child);
      else for (const child of node.children) write(child);
      if (!/^(area|br|col|embed|hr|img|input|link|meta|wbr)$/.test(kind)) out.push(`</${kind}>`);
    };
    write(root);
    return [out.join(""), refs];
  };

  const utterance = () => {
    const said = core.getUtterance();
    return typeof said === "string" ? said : said.utterance;
  };

  window.__turnwise = {
    // what the adapter reads when the page has come to rest
    snapshot: (done) =>
      settled(() => {
        const over = window.WOB_DONE_GLOBAL;
        if (!over) core.getDOMInfo(); // gives what is new its `ref`
        const [html, refs] = over ? ["", {}] : written(document.body);
        done({ html, refs, utterance: over ? "" : utterance(), over, raw: window.WOB_RAW_REWARD_GLOBAL });
      }),
    // the middle of an element, and whether the pointer there is on it
    point: (number) => {
      const element = elements[number];
      element.scrollIntoView({ block: "nearest", inline: "nearest" });
      const rect = element.getClientRects()[0] ?? element.getBoundingClientRect();
      const place = [rect.left + rect.width / 2, rect.top + rect.height / 2];
      let hit = document.elementFromPoint(...place);
      while (hit && !numbers.has(hit)) hit = hit.parentElement;
      return [place, hit === element];
    },
    focus: (number) => elements[number]?.focus(),
    // a field that cannot be typed into key by key
    set: (number, value) => {
      const field = elements[number];
      field.focus();
      field.value = value;
      for (const type of ["input", "change"]) field.dispatchEvent(new Event(type, { bubbles: true }));
    },
    choose: (number, places) => {
      const field = elements[number];
      field.focus();
      [...field.options].forEach((option, place) => (option.selected = places.includes(place)));
      for (const type of ["input", "change"]) field.dispatchEvent(new Event(type, { bubbles: true }));
    },
  };
})();
