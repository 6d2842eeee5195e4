"""The landing page: the environments, and one of them played by hand in the browser.

It plays over HTTP, as a browser can send no token with a socket. With a token set, the page shows a field for it and
nothing else; the token is kept in the tab (sessionStorage) and sent as a header, never in an address.
"""

from collections.abc import Iterable

from markupsafe import Markup, escape

from turnwise.core.registration import summary
from turnwise.serve.slots import Served

__all__ = ["page"]

_STYLE = """
:root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 18%, transparent); --accent: #2f6f5e; }
@media (prefers-color-scheme: dark) { :root { --accent: #7cc4ae; } }
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; padding: 2rem 1rem 4rem; max-width: 60rem; }
h1 { font-size: 1.6rem; margin: 0 0 .25rem; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
table { border-collapse: collapse; width: 100%; }
td { border-top: 1px solid var(--line); padding: .4rem .75rem .4rem 0; vertical-align: baseline; }
button, input, textarea, select { font: inherit; padding: .3rem .6rem; border: 1px solid var(--line); }
button, input, textarea, select { border-radius: 6px; }
button { cursor: pointer; } button:disabled { cursor: default; opacity: .5; }
#begin, #play, #lock button { background: var(--accent); border-color: var(--accent); color: Canvas; }
code { font-size: .9em; }
.row { display: flex; flex-wrap: wrap; gap: .5rem .75rem; align-items: center; margin: .5rem 0; }
#log { border: 1px solid var(--line); border-radius: 6px; padding: 0 1rem; min-height: 3rem; }
#log pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: .875rem; margin: .75rem 0; }
#log pre.agent { border-left: 3px solid var(--line); padding-left: .75rem; }
#log pre.end { font-weight: 600; } #log pre.error, #wrong { color: #b3261e; }
@media (prefers-color-scheme: dark) { #log pre.error, #wrong { color: #f2b8b5; } }
textarea { width: 100%; display: block; margin: .5rem 0; resize: vertical; }
@media (max-width: 30rem) { td { display: block; } td + td { border: 0; padding-top: 0; } }
"""
_SCRIPT = """
const KEY = "turnwise-token", at = (id) => document.getElementById(id);
let session = null, env = null, busy = false;
function headers() {
  const token = sessionStorage.getItem(KEY), found = {"Content-Type": "application/json"};
  if (token) found.Authorization = `Bearer ${token}`;
  return found;
}
async function ask(path, body) {
  const answer = await fetch(path, {method: "POST", headers: headers(), body: JSON.stringify(body)});
  const found = await answer.json();
  if (!answer.ok) throw new Error(found.detail || answer.statusText);
  return found;
}
function say(words, kind) {
  const line = document.createElement("pre");
  line.className = kind; line.textContent = words; at("log").append(line); line.scrollIntoView({block: "nearest"});
}
async function turn(path, body) {
  if (busy) return;
  busy = at("play").disabled = true;
  let going = false;
  try {
    const seen = await ask(path, body), about = seen.metadata;
    session = about.session_id || session;
    say(seen.observation.text, "env");
    going = !seen.done;
    if (seen.done) say(`Return ${about.return}${about.solved ? ", solved" : ""}`, "end");
  } catch (error) { say(error.message, "error"); }
  busy = false; at("play").disabled = !going;
  if (going) at("text").focus();
}
function leave() {
  if (session) fetch("delete", {method: "POST", keepalive: true, headers: {...headers(), "X-Session-ID": session}});
  session = null;
}
function begin() {
  leave();
  at("log").replaceChildren();
  env = at("env").value;
  const seed = at("seed").value.trim();
  turn(`${env}/reset`, seed === "" ? {} : {seed: Number(seed)});
}
function send() {
  const message = at("text").value;
  if (busy || at("play").disabled) return;
  say(message, "agent"); at("text").value = "";
  turn(`${env}/step`, {action: {message}, session_id: session});
}
async function unlock() {
  const answer = await fetch("", {headers: headers()});
  const main = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("main");
  if (main.dataset.locked) {
    sessionStorage.removeItem(KEY);
    at("wrong").hidden = false;
    return;
  }
  document.querySelector("main").replaceWith(main);
  ready();
}
function ready() {
  if (at("lock")) {
    at("lock").onsubmit = (event) => {
      event.preventDefault(); sessionStorage.setItem(KEY, at("token").value.trim()); unlock();
    };
    if (sessionStorage.getItem(KEY)) unlock();
    return;
  }
  at("begin").onclick = begin;
  at("play").onclick = send;
  at("text").onkeydown = (key) => { if (key.key === "Enter" && (key.ctrlKey || key.metaKey)) send(); };
  for (const link of document.querySelectorAll("[data-env]"))
    link.onclick = () => { at("env").value = link.dataset.env; begin(); };
}
addEventListener("pagehide", leave);
ready();
"""
_LOCKED = Markup(
    '<main data-locked="yes"><p>This server needs a token. It is kept in this tab only.</p>'
    '<form id="lock" class="row"><input id="token" type="password" autocomplete="off" aria-label="Token" required>'
    '<button>Open</button><span id="wrong" role="alert" hidden>This is not the token.</span></form></main>'
)
_OPEN = Markup(
    "<main><h2>Environments</h2><table>{rows}</table><h2>Play</h2>"
    '<div class="row"><select id="env" aria-label="Environment">{options}</select>'
    '<label>Seed <input id="seed" size="8" inputmode="numeric"></label><button id="begin">New episode</button></div>'
    '<div id="log" aria-live="polite"></div><textarea id="text" rows="4" aria-label="Your message"></textarea>'
    '<div class="row"><button id="play" disabled>Send</button><span>or Ctrl+Enter</span></div></main>'
)


def page(envs: Iterable[Served], version: str, locked: bool = False) -> str:
    """The page as HTML.

    Args:
        envs: What is served.
        version: Version of turnwise.
        locked: Whoever asks did not send the token: show nothing but a field for it.
    """
    main = _LOCKED
    if not locked:
        envs = list(envs)
        row = Markup('<tr><td><button data-env="{0}">{0}</button></td><td>{1}</td></tr>')
        rows = Markup("").join(row.format(env.name, summary(env.id)) for env in envs)
        options = Markup("").join(Markup("<option>{}</option>").format(env.name) for env in envs)
        main = _OPEN.format(rows=rows, options=options)
    return str(
        Markup(
            '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>turnwise</title>'
            '<meta name="viewport" content="width=device-width, initial-scale=1"><style>{style}</style></head><body>'
            "<h1>turnwise{version}</h1><p>Text environments with verifiable rewards, served as OpenEnv "
            "(<code>/ws</code>), Open Reward Standard and MCP (<code>/mcp</code>).</p>"
            "{main}<script>{script}</script></body></html>"
        ).format(
            style=Markup(_STYLE),
            script=Markup(_SCRIPT),
            version="" if locked else f" {escape(version)}",
            main=main,
        )
    )
