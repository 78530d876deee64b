"""The script that each document is given: where things are, how much changes, and what can be asked of it. Plain JavaScript."""

from __future__ import annotations

import secrets

from environments.browser.scripts.looking_js import LOOKING
from environments.browser.scripts.names_js import NAMES
from environments.browser.scripts.walk_js import WALK

SENDING = r"""
/* The form that a press may send: that of the control, or the one around what is pressed. */
function formOf(el) {
  const control = el.closest('button,input,select,textarea,label');
  const owner = control && tagOf(control) === 'label' ? control.control : control;
  const form = owner ? owner.form : null;
  return form instanceof HTMLFormElement ? form : el.closest('form');
}
const sends = (el) => /^(button|input)$/.test(tagOf(el)) && /^(submit|image)$/.test(el.type) && el.form;
const whole = (address) => { try { return new URL(address, document.baseURI); } catch { return null; } };
const bare = (url) => (/^https?:$/.test(url.protocol) ? `${url.protocol}//${url.host}${url.pathname}` : url.protocol);
/* The names of a query, and its values that are a word or a small number: they may say what the address does. */
const worded = (url) => {
  const plain = (value) => (/^(\p{L}[\p{L}_-]{0,29}|\d{1,2})$/u.test(value) ? value : '');
  const said = [...url.searchParams].slice(0, 40).map(([name, value]) => `${name.slice(0, 30)}=${plain(value)}`);
  return said.length ? `?${said.join('&')}` : '';
};
const ends = (text) => (text.length > 200 ? `${text.slice(0, 100)}…${text.slice(-99)}` : text);
const told = (url) => ends(`${bare(url)}${/^http/.test(url.protocol) ? worded(url) : ''}`);

/* How a form is sent and where to, by the button that is pressed. */
function sending(form, by) {
  const own = (name) => (by && sends(by) ? attr(by, `form${name}`) : null);
  const how = String(own('method') ?? attr(form, 'method') ?? 'get').trim().toLowerCase();
  const said = own('action') ?? attr(form, 'action');
  const url = whole(said || location.href);
  return how === 'dialog' || !url ? null : {how: how === 'post' ? 'post' : 'get', url, said: Boolean(said),
    target: own('target') ?? attr(form, 'target') ?? ''};
}
/* Where a press leads, as the page says it; nothing where it says nothing. */
function leadsTo(el) {
  const link = el.closest('a[href],area[href]');
  if (link) {
    const href = String(attr(link, 'href')).trim(), here = href.startsWith('#') && !document.getElementById(href.slice(1));
    const url = here ? null : whole(href);
    return url ? `${attr(link, 'download') === null ? 'open' : 'download'} ${told(url)}` : '';
  }
  const way = sends(el) && el.form instanceof HTMLFormElement ? sending(el.form, el) : null;
  const by = way && attr(el, 'name') ? ` by ${attr(el, 'name')}=${el.value}`.replace(/\s+/g, ' ').slice(0, 80) : '';
  return way ? `${way.how} ${told(way.url)}${by}` : '';
}

const KINDS = ['click', 'dblclick', 'mousedown', 'mouseup', 'pointerdown', 'pointerup', 'touchstart', 'submit'];
const SOURCE = 2000;
function handlersOf(el) {
  const found = [], ask = globalThis[KEY];
  const add = (what) => { if (typeof what === 'function') found.push(String(what).slice(0, SOURCE)); };
  for (const kind of KINDS) add(el[`on${kind}`]);
  if (typeof ask === 'function') for (const source of ask(el, true) || [])
    if (!String(source).endsWith(String(hear))) found.push(String(source));
  for (const name of Object.keys(el)) if (name.startsWith('__reactProps$') && el[name]) {
    add(el[name].onClick); add(el[name].onSubmit); }
  return found;
}
const HELD = new RegExp('^(name|type|value|href|target|ping|download|form.*|on.*|' +
  'data-.*(id|href|url|action|method|target|param|amount|to))$');
const marks = (el) => [...el.attributes].filter((a) => HELD.test(a.name) && (a.name !== 'value' || tagOf(el) === 'button'))
  .map((a) => `${a.name}=${a.value}`).sort().join('\n');
const seen = (el) => { const box = standIn(el).getBoundingClientRect(); return box.width > 2 && box.height > 2 &&
  box.right + scrollX > 0 && box.bottom + scrollY > 0 && (!el.checkVisibility ||
  standIn(el).checkVisibility({checkOpacity: true, checkVisibilityCSS: true})); };
const CARRIED = /^(hidden|password)$/;
/* What a form sends: of each field its name, what it holds, and whether that can be seen; `all` with those that have no name. */
function carried(form, all) {
  const found = [];
  for (const el of partsOf(form)) {
    const name = tidy(attr(el, 'name'));
    if (!(name || all) || el.matches(':disabled') || /^(submit|button|image|reset)$/.test(el.type) || !('value' in el)) continue;
    if (/^(checkbox|radio)$/.test(el.type) && !el.checked) continue;
    const values = tagOf(el) === 'select' ? [...el.selectedOptions].map((o) => o.value) :
      el.type === 'file' ? [...(el.files.length ? el.files : [{name: ''}])].map((file) => file.name) : [el.value];
    for (const value of values) found.push({name, value: String(value).slice(0, 100000),
      open: !CARRIED.test(el.type) && !secret(el) && seen(el)});
  }
  return found;
}
/* What the press of a control should send, to be held against what is sent; null where nothing is known. */
function expected(c, form, link, keys) {
  const by = keys && !sends(c) ? byEnter(form) || c : c, way = form && sending(form, by);
  if (way && !link) {
    const fields = carried(form, true).map((f) => [f.name, f.value, f.open]);
    if (sends(by) && attr(by, 'name')) fields.push([attr(by, 'name'), String(by.value), true]);
    const enctype = (sends(by) && attr(by, 'formenctype')) || attr(form, 'enctype') || '';
    return {how: way.how, url: way.url.href, said: way.said, fields, enctype: enctype.toLowerCase()};
  }
  const url = link && whole(attr(link, 'href'));
  return url && /^https?:$/.test(url.protocol) ? {how: 'open', url: url.href, said: true, fields: []} : null;
}
"""


_PLACES = r"""
const cut = (a, b) => ({left: Math.max(a.left, b.left), top: Math.max(a.top, b.top),
  right: Math.min(a.right, b.right), bottom: Math.min(a.bottom, b.bottom)});
const empty = (r) => r.right - r.left < 1 || r.bottom - r.top < 1;
const view = () => ({left: 0, top: 0, right: innerWidth, bottom: innerHeight});
const clips = (style) => /auto|scroll|hidden|clip/.test(style.overflowX + style.overflowY);

function hitAt(x, y) {
  let hit = document.elementFromPoint(x, y);
  while (hit && hit.shadowRoot) {
    const inner = hit.shadowRoot.elementFromPoint(x, y);
    if (!inner || inner === hit) break;
    hit = inner;
  }
  return hit;
}
/* What stands for an element on the screen: itself, or the label of a control that is drawn by its label. */
function standIn(el) {
  const box = el.getBoundingClientRect();
  const style = getComputedStyle(el);
  const drawn = box.width > 2 && box.height > 2 && style.opacity !== '0' && style.visibility !== 'hidden';
  if (!drawn) for (const label of el.labels || []) if (!empty(label.getBoundingClientRect())) return label;
  return el;
}
function own(hit, el) {
  if (!hit) return false;
  if (within(el, hit)) return true;
  for (const label of el.labels || []) if (within(label, hit)) return true;
  return false;
}
function points(r) {
  const w = r.right - r.left, h = r.bottom - r.top, out = [];
  for (const [fx, fy] of [[.5, .5], [.25, .5], [.75, .5], [.5, .25], [.5, .75], [.1, .5], [.9, .5], [.1, .15], [.9, .85],
    [.9, .15], [.1, .85]])
    out.push([r.left + w * fx, r.top + h * fy]);
  return out;
}
/* A point where a press reaches the element, or null. `calm` things need no press: what they stand in may be hit instead. */
function free(el, shown, calm) {
  let second = null;
  const quiet = calm || getComputedStyle(el).pointerEvents === 'none';
  const rects = calm ? [shown] : [shown, ...[...el.getClientRects()].slice(0, 3).map((r) => cut(r, shown))];
  for (const r of rects) {
    if (empty(r)) continue;
    for (const [x, y] of points(r)) {
      const hit = hitAt(x, y);
      if (!own(hit, el) && !(quiet && hit && within(hit, el))) continue;
      const nested = hit !== el && !calm ? hit.closest(NATIVE) : null;
      if (!nested || nested === el || !within(el, nested)) return [x, y];
      second = second || [x, y];
    }
  }
  return second;
}
function clipOf(el) {
  let clip = view(), fixed = getComputedStyle(el).position === 'fixed';
  for (let n = up(el); n && n !== document.body && n !== document.documentElement && !fixed; n = up(n)) {
    const style = getComputedStyle(n);
    if (clips(style)) clip = cut(clip, boxOf(n));
    fixed = style.position === 'fixed';
  }
  return clip;
}
const described = (el) => {
  const role = firmRole(el) || tagOf(el), name = tidy(attr(el, 'aria-label') || el.innerText || attr(el, 'title') ||
    '').slice(0, 60);
  return name || tokens(el) || role;
};
"""

_OFFERED = r"""
const ids = new WeakMap(), byId = new Map();
let next = 0, out = [], used = new Set(), textPlaces = null, focused = null;
const idOf = (el) => {
  if (!ids.has(el)) { ids.set(el, ++next); byId.set(next, new WeakRef(el)); }
  return ids.get(el);
};
const node = (id) => { const el = byId.get(id)?.deref(); return el && el.isConnected ? el : null; };

/* Every number that the page shows, in its order, and which of them tells how far a slider is. */
const shownBy = new WeakMap();
let figures = [];
const NUMBER = /[-\u2212]?\d+(?:\.\d+)?/g;
function figuresNow() {
  const found = [], seen = new Map();
  const add = (at, text) => {
    for (const s of text.match(NUMBER) || []) {
      const n = seen.get(at) || 0;
      seen.set(at, n + 1);
      found.push({at, n, value: Number(s.replace('\u2212', '-'))});
    }
  };
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = walk.nextNode(); text && found.length < 2000; text = walk.nextNode())
    if (text.parentElement && !SKIP.test(tagOf(text.parentElement)) && text.parentElement.checkVisibility?.() !== false)
      add(text.parentElement, text.data);
  for (const el of document.querySelectorAll('input:not([type=hidden]),output')) add(el, String(el.value));
  return found;
}
function levelOf(el) {
  const shown = shownBy.get(el), text = shown && (tagOf(shown.at) === 'input' ? String(shown.at.value) : ownText(shown.at));
  const number = text && (text.match(NUMBER) || [])[shown.n];
  return number === undefined || number === null ? null : Number(number.replace('\u2212', '-'));
}
function level(id) {
  const el = node(id), said = el && parseFloat(attr(el, 'aria-valuenow'));
  return !el ? null : Number.isFinite(said) ? said : levelOf(el);
}
function figuresOf() { figures = figuresNow(); return figures.map((f) => f.value); }
function tie(id, n) { const el = node(id); if (el && figures[n]) shownBy.set(el, figures[n]); }

let changes = 0, contents = 0, last = performance.now();
const changed = (content) => { changes++; if (content) contents++; last = performance.now(); };
const watcher = new MutationObserver((list) => { for (const m of list) tick(m);
  changed(list.some((m) => m.type !== 'attributes' ||
  /^(value|aria-|hidden|open|style|src)/.test(m.attributeName))); });
const watched = new WeakSet();
function watchRoot(root) {
  if (watched.has(root)) return;
  watched.add(root);
  watcher.observe(root, {childList: true, subtree: true, attributes: true, characterData: true});
}
watchRoot(document);
for (const kind of ['input', 'change', 'toggle']) addEventListener(kind, () => changed(true), {capture: true, passive: true});
for (const kind of ['focusin', 'scroll']) addEventListener(kind, () => changed(false), {capture: true, passive: true});
let wanted = null, heard = '';
const hear = (e) => { if (heard !== 'press') heard = e.type === 'mousedown' ? 'half' : 'press'; };
const PRESSES = ['mousedown', 'click', 'auxclick', 'contextmenu', 'dblclick'];
/* On the element itself: a press that a page stops on its way there was never heard. */
function listen(id) {
  if (wanted) for (const kind of PRESSES) wanted.removeEventListener(kind, hear, true);
  wanted = node(id);
  heard = '';
  if (wanted) for (const kind of PRESSES) wanted.addEventListener(kind, hear, true);
}

function moving(el) {
  let n = 0;
  for (const a of document.getAnimations()) {
    const t = a.effect && a.effect.getComputedTiming();
    if (a.playState !== 'running' || !t || !isFinite(Number(t.endTime)) || Number(t.endTime) > 5000) continue;
    const of = a.effect.target;
    if (!el || !of || within(of, el) || within(el, of)) n++;
  }
  return n;
}
const state = () => ({changes, contents, since: performance.now() - last, ready: document.readyState, moving: moving(null),
  busy: Boolean(document.querySelector('[aria-busy=true]'))});
function place(id, point) {
  const el = node(id);
  if (!el) return {gone: true};
  const body = standIn(el), box = body.getBoundingClientRect(), shown = cut(box, clipOf(body));
  const disabled = el.matches(':disabled') || flag(el, 'aria-disabled') || Boolean(el.closest('[inert]'));
  const base = {disabled, b: [box.left, box.top, box.right, box.bottom], moving: moving(el)};
  if (empty(box)) return {...base, hidden: true};
  if (empty(shown)) return {...base, off: true, side: box.bottom <= 0 ? 'up' : box.top >= innerHeight ?
    'down' : box.left >= innerWidth ? 'right'
    : box.right <= 0 ? 'left' : 'inside'};
  if (point) return {...base, pt: point};
  const pt = free(el, shown, !firmControl(el) && !presses(el));
  if (pt) return {...base, pt};
  const hit = hitAt((shown.left + shown.right) / 2, (shown.top + shown.bottom) / 2);
  return {...base, cover: hit ? described(hit) : 'something'};
}
return {
  list: () => ({els: list(), url: location.href, title: document.title, ...state(), size: [innerWidth, innerHeight]}),
  state, place, node, idOf, level, tie, figures: figuresOf, look, arm, disarm, focusOn,
  hits: (id, spots) => { const el = node(id); return spots.map(([x, y]) => Boolean(el) && own(hitAt(x, y), el)); },
  under: (x, y) => { const hit = hitAt(x, y); return hit ? {tag: tagOf(hit), i: idOf(hit)} : null; },
  at: (id, x, y) => { const el = node(id), hit = hitAt(x, y); return Boolean(el) && (own(hit, el) || Boolean(hit &&
    within(hit, el) && !firmControl(el))); },
  inner: (id) => { const el = node(id), r = el.getBoundingClientRect(), s = getComputedStyle(el);
    return [r.left + el.clientLeft + parseFloat(s.paddingLeft), r.top + el.clientTop + parseFloat(s.paddingTop)]; },
  heard: () => heard,
  show: (id) => { node(id)?.scrollIntoView({block: 'center', inline: 'nearest', behavior: 'instant'}); },
  holds: (id) => { const el = node(id); return el ? valueOf(el, firmRole(el) || '') : null; },
  kind: (id) => { const el = node(id); return el ? {tag: tagOf(el), type: String(el.type || ''), multiple: Boolean(el.multiple),
    editable: el.isContentEditable, readonly: Boolean(el.readOnly), role: firmRole(el), min: attr(el, 'min'), max: attr(el,
      'max'),
    opens: opens(el),
    file: el.type === 'file' ? idOf(el) : el.control && el.control.type === 'file' ? idOf(el.control) : null} : null; },
  options: (id) => { const el = node(id); return el && el.options ? [...el.options].slice(0, 2000).map((o, n) => ({n,
    label: tidy(o.label), value: String(o.value),
    off: o.disabled || Boolean(o.closest('optgroup:disabled'))})) : []; },
  words: () => document.body ? String(document.body.innerText).slice(0, 500000) : '',
  caretEnd: (id) => { const el = node(id) && fieldOf(node(id)); if (!el) return;
    if (typeof el.selectionStart === 'number') { el.selectionStart = el.selectionEnd = el.value.length; return; }
    if (el.isContentEditable) { const r = document.createRange(); r.selectNodeContents(el); r.collapse(false);
      const s = getSelection(); s.removeAllRanges(); s.addRange(r); } },
};
"""

KEY = f"_{secrets.token_hex(12)}"
"""The name, new in each process, under which a document says which elements listen for a press, and is told what may reach it."""

_SECRET = secrets.token_hex(16)

_LISTENERS = """(() => {
  const seen = new WeakSet(), told = new WeakMap(), add = EventTarget.prototype.addEventListener;
  const text = Function.prototype.toString, call = Function.prototype.call.bind(Function.prototype.call);
  const prevent = Event.prototype.preventDefault, stop = Event.prototype.stopImmediatePropagation;
  const kinds = new Set(['click', 'dblclick', 'mousedown', 'mouseup', 'pointerdown', 'pointerup', 'touchstart']);
  const OURS = /^\\(?event\\)? => \\{?[^{}]*_hitTargetInterceptor[^{}]*\\}?$/;  /* how Playwright watches its own presses */
  const note = (at, kind, what) => {
    const heard = typeof what === 'function' ? what : what && what.handleEvent;
    if (typeof heard !== 'function' || OURS.test(call(text, heard))) return;
    if (!told.has(at)) told.set(at, new Set());
    if (told.get(at).size < 50) told.get(at).add(kind + ' ' + call(text, heard).slice(0, 2000));
  };
  let armed = null, astray = false;
  const alone = (e) => {
    if (!STRICT) return false;
    if (/^(pointer|mouse)down$/.test(e.type)) return (astray = true);
    if (e.type === 'keydown' || e.type === 'keypress') return !/^(Shift|Control|Alt|Meta|AltGraph|CapsLock)$/.test(e.key);
    return astray && /^(mouseup|pointerup|.*click|contextmenu)$/.test(e.type) && e.detail !== 0;
  };
  const guard = (e) => {
    if (!e.isTrusted) return;
    let stopped = true;
    try { stopped = armed ? armed(e) : alone(e); } catch (bad) { stopped = true; }
    if (stopped) { call(prevent, e); call(stop, e); }
  };
  for (const kind of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'auxclick', 'dblclick', 'contextmenu', 'drop',
    'keydown', 'keypress', 'beforeinput']) call(add, globalThis, kind, guard, {capture: true, passive: false});
  EventTarget.prototype.addEventListener = function addEventListener(kind, ...rest) {
    if (kinds.has(kind) && this instanceof Element) seen.add(this);
    if (this && (kinds.has(kind) || kind === 'submit')) note(this, kind, rest[0]);
    return add.call(this, kind, ...rest);
  };
  const value = (what, more) => {
    if (what === 'SECRET') { armed = more; astray = false; return true; }
    return more ? [...(told.get(what) || [])] : seen.has(what);
  };
  Object.defineProperty(globalThis, 'KEY', {value});
  Object.defineProperty(globalThis, 'eval', {value: eval, writable: false, configurable: false});
})()"""


def listeners(strict: bool) -> str:
    """Begun with each document: remembers which elements listen for a press, and by what, as a page cannot be asked for that
    later; what an element has ever listened by is kept, and a listener that is put back is no other one.

    It also stands before the page with each press and key that is no script's: only what was armed for goes on. Where it is
    `strict`, nothing else does, as nobody but the door has a hand on the browser.
    """
    return _LISTENERS.replace("KEY", KEY).replace("SECRET", _SECRET).replace("STRICT", "true" if strict else "false")


_CONSTANTS = f"const KEY = '{KEY}', SECRET = '{_SECRET}';\n"
PAGE_SCRIPT = "() => {\n" + _CONSTANTS + NAMES + _PLACES + SENDING + WALK + LOOKING + _OFFERED + "\n}"
"""Evaluated once in each document; gives an object that only its caller holds, so that the page cannot see or change it."""
