"""The part of the page script that lists what is shown, finds where to press and counts what changes."""

from __future__ import annotations

from environments.browser.names_js import NAMES

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
    if (clips(style)) clip = cut(clip, n.getBoundingClientRect());
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

_WALK = r"""
const SKIP = /^(script|style|template|noscript|head|meta|link|title|option|optgroup|datalist|source|track|param|base|br|hr|wbr)$/;
const secret = (el) => el.type === 'password' || /(^|\s)(cc-|one-time-code|current-password|new-password)/.test(attr(el,
  'autocomplete') || '');
const flag = (el, name) => attr(el, name) === 'true';

function record(el, role, name, source, parent, clip, faded) {
  const body = standIn(el), box = body.getBoundingClientRect(), shown = cut(box, clip), calm = !CONTROLS.has(role) &&
    !handled(el);
  const onScreen = !empty(shown) && !faded;
  const point = onScreen ? free(el, shown, calm) : null;
  const b = point ? shown : box;
  const e = {i: idOf(el), p: parent, r: role, n: name, s: source, t: tagOf(el), b: [b.left, b.top, b.right, b.bottom],
    v: Boolean(point)};
  if (point) e.pt = point;
  if (CONTROLS.has(role) || role === 'row' || role === 'cell') states(el, role, e);
  if (role === 'progressbar' || role === 'meter') e.val = tidy(attr(el, 'aria-valuenow') ?? (el.value !== undefined ?
    el.value : ''));
  out.push(e);
  return e;
}
function valueOf(el, role) {
  if (el.type === 'checkbox' || el.type === 'radio') return String(el.checked);
  if (role === 'checkbox' || role === 'radio' || role === 'switch' || role === 'menuitemcheckbox' || role === 'menuitemradio')
    return String(flag(el, 'aria-checked'));
  if (tagOf(el) === 'select') return [...el.selectedOptions].map((o) => tidy(o.label)).join(', ');
  if (el.type === 'file') return [...el.files].map((f) => f.name).join(', ');
  if ('value' in el && /^(input|textarea)$/.test(tagOf(el))) return role === 'button' ? null : String(el.value).slice(0, 20000);
  if (el.isContentEditable) return String(el.innerText).slice(0, 20000);
  if (role === 'slider' || role === 'spinbutton') return tidy(attr(el, 'aria-valuetext') ?? attr(el, 'aria-valuenow') ?? '');
  if (role === 'combobox' || role === 'textbox' || role === 'searchbox') return tidy(attr(el, 'aria-valuetext') ||
    el.innerText || '');
  return null;
}
function states(el, role, e) {
  const value = valueOf(el, role);
  if (value !== null) e.val = value;
  if (el.matches(':disabled') || flag(el, 'aria-disabled') || el.closest('[inert]')) e.d = 1;
  if (el.required || flag(el, 'aria-required')) e.q = 1;
  if ((attr(el, 'aria-invalid') || 'false') !== 'false' || (FIELDS.has(role) && el.matches(':user-invalid'))) e.w = 1;
  if (flag(el, 'aria-selected') || flag(el, 'aria-pressed') || (attr(el, 'aria-current') || 'false') !== 'false') e.sel = 1;
  if (el === focused) e.f = 1;
  if (secret(el)) e.pr = 1;
  if (FIELDS.has(role)) e.ph = tidy(attr(el, 'placeholder'));
  if (tagOf(el) === 'select') e.o = [...el.options].slice(0, 500).map((o) => tidy(o.label));
  if (attr(el, 'list') && el.list) e.o = [...el.list.options].slice(0, 500).map((o) => tidy(o.value));
  if (attr(el, 'href')) e.h = String(el.href).slice(0, 500);
}
/* The text of an element and of the inline things in it, links too; blocks and what has a role of its own are left to
   themselves. */
function run(el) {
  let text = '';
  for (const node of el.childNodes) {
    if (text.length > 2000) break;
    if (node.nodeType === 3) text += node.data;
    else if (node.nodeType === 1 && !SKIP.test(tagOf(node)) &&
      !/^(select|textarea|input|button|iframe|svg|img)$/.test(tagOf(node))
      && !blockish(node)) text += run(node);
    else text += ' ';
  }
  return text;
}
function firmControl(el) {
  const role = firmRole(el);
  return role && CONTROLS.has(role) ? role : null;
}
function visit(el, parent, clip, pointing, taken, faded) {
  if (out.length >= 6000 || SKIP.test(tagOf(el))) return;
  const style = getComputedStyle(el);
  if (style.display === 'none') {
    if (el.type === 'file' && el.localName === 'input') record(el, 'button', ...nameOf(el, 'button'), parent, clip, false);
    return;
  }
  const box = el.getBoundingClientRect();
  const hidden = style.visibility !== 'visible' || (el.checkVisibility && style.display !== 'contents' &&
    !el.checkVisibility());
  const gone = style.display === 'contents' || hidden;
  const small = box.width < 2 || box.height < 2;
  if (style.position === 'fixed') clip = view();
  const faint = faded || (style.opacity === '0' && !firmControl(el));
  const firm = gone ? null : firmRole(el);
  const loose = gone || small || CONTROLS.has(firm) ? null : looseRole(el, style, pointing);
  const role = loose && (!firm || firm === 'img' || firm === 'listitem' || SAID.has(firm)) ? loose : firm;
  let inside = parent;
  if (role && (!small || standIn(el) !== el || el.type === 'file')) {
    if (CONTROLS.has(role) || loose) {
      const e = record(el, role, ...nameOf(el, role), parent, clip, faint);
      if (tagOf(el) === 'select' || isEditor(el) && el.isContentEditable || !el.querySelector(NATIVE) &&
        role !== 'listbox' && !el.shadowRoot) return;
      return children(el, e.i, clip, true, true, faint, style);
    }
    if (HOLDERS.has(role) || SAID.has(role)) {
      const e = said(el, role, parent, clip, faint, taken);
      if (e) { inside = e.i; taken = taken || Boolean(e.n); }
      if (/^(iframe|frame|video|audio|canvas|progress|meter|img)$/.test(tagOf(el))) return;
    }
  } else if (!gone && !small && !taken) {
    const text = ownText(el).trim() ? tidy(run(el)) : '';
    const icon = !text && iconic(el, style, box) ? tokens(el) || pictured(el) : '';
    if (icon) record(el, 'img', icon, tokens(el) ? 'class' : 'image', parent, clip, faint);
    if (text) { record(el, 'text', text, 'content', parent, clip, faint); taken = true; }
  }
  children(el, inside, clip, style.cursor === 'pointer' && !several(el), taken, faint, style);
}
/* A container or a saying: its own words are its name, and what is inside hangs below it. */
function said(el, role, parent, clip, faded, taken) {
  let name = tidy(attr(el, 'aria-label')) || byIds(el, 'aria-labelledby'), source = name ? 'title' : null;
  if (!name && role === 'group') { name = tidy(el.querySelector(':scope > legend,:scope > summary')?.innerText);
    source = 'label'; }
  if (!name && /^(img|iframe|video|audio|canvas)$/.test(role)) {
    [name, source] = tagOf(el) === 'svg' ? [titled(el), 'title'] : nameOf(el, role);
    if (role === 'img' && (!name || (source === 'class' && el.getBoundingClientRect().width < 24))) return null;
  }
  if (!name && !taken && /^(heading|status|alert|log|tooltip|listitem|cell|gridcell|columnheader|rowheader)$/.test(role)) {
    name = role === 'heading' || role === 'alert' || role === 'status' ? plain(el) : ownText(el).trim() ?
      tidy(run(el)) : lone(el);
    source = name ? 'content' : null;
    if (role === 'heading' && el.querySelector(NATIVE) && !ownText(el).trim()) return null;
  }
  if (!name && /^(heading|status|alert|listitem|cell|columnheader|rowheader|gridcell|group|tooltip|log)$/.test(role) &&
    !el.childElementCount)
    return null;
  return record(el, role, name || '', name ? source : null, parent, clip, faded);
}
/* The text of a cell that only wraps one: `<td><span>12</span></td>`. */
function lone(el) {
  if (el.childElementCount !== 1 || el.querySelector(NATIVE)) return '';
  const child = el.firstElementChild;
  return blockish(child) && child.childElementCount ? '' : handled(child) || getComputedStyle(child).cursor === 'pointer' ?
    '' : tidy(run(child));
}
function children(el, parent, clip, pointing, taken, faded, style) {
  if (clips(style) && tagOf(el) !== 'body' && tagOf(el) !== 'html') clip = cut(clip, el.getBoundingClientRect());
  const root = el.shadowRoot;
  if (root) watchRoot(root);
  const inner = root ? root.children : tagOf(el) === 'slot' && el.assignedElements().length ?
    el.assignedElements() : el.children;
  for (const child of inner) visit(child, parent, clip, pointing, taken && !blockish(child), faded);
}
function list() {
  out = []; used = new Set(); textPlaces = null;
  focused = document.activeElement;
  while (focused && focused.shadowRoot && focused.shadowRoot.activeElement) focused = focused.shadowRoot.activeElement;
  if (document.body) visit(document.body, null, view(), false, false, false);
  const spare = new Set();
  for (const node of used) if (ids.has(node)) spare.add(ids.get(node));
  const parents = new Set(out.map((e) => e.p));
  const named = new Set(out.filter((e) => /^(label|nearby)$/.test(e.s || '')).map((e) => e.n));
  return out.filter((e) => !(/^(text|cell|columnheader)$/.test(e.r) && !parents.has(e.i) && (spare.has(e.i) ||
    within_used(e)) && named.has(e.n)));
}
function within_used(e) {
  const el = node(e.i);
  for (let n = el; n; n = up(n)) if (used.has(n)) return true;
  return el ? [...el.childNodes].some((n) => used.has(n)) : false;
}
"""

_OFFERED = r"""
const ids = new WeakMap(), byId = new Map();
let next = 0, out = [], used = new Set(), textPlaces = null, focused = null;
const idOf = (el) => {
  if (!ids.has(el)) { ids.set(el, ++next); byId.set(next, new WeakRef(el)); }
  return ids.get(el);
};
const node = (id) => { const el = byId.get(id)?.deref(); return el && el.isConnected ? el : null; };

let changes = 0, contents = 0, last = performance.now();
const changed = (content) => { changes++; if (content) contents++; last = performance.now(); };
const watcher = new MutationObserver((list) => changed(list.some((m) => m.type !== 'attributes' ||
  /^(value|aria-|hidden|open|style|src)/.test(m.attributeName))));
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
  const pt = free(el, shown, !firmControl(el) && !handled(el));
  if (pt) return {...base, pt};
  const hit = hitAt((shown.left + shown.right) / 2, (shown.top + shown.bottom) / 2);
  return {...base, cover: hit ? described(hit) : 'something'};
}
return {
  list: () => ({els: list(), url: location.href, title: document.title, ...state(), size: [innerWidth, innerHeight]}),
  state, place, node, idOf,
  hits: (id, spots) => { const el = node(id); return spots.map(([x, y]) => Boolean(el) && own(hitAt(x, y), el)); },
  under: (x, y) => { const hit = hitAt(x, y); return hit ? {tag: tagOf(hit), i: idOf(hit)} : null; },
  at: (id, x, y) => { const el = node(id), hit = hitAt(x, y); return Boolean(el) && (own(hit, el) || Boolean(hit &&
    within(hit, el) && !firmControl(el))); },
  inner: (id) => { const el = node(id), r = el.getBoundingClientRect(), s = getComputedStyle(el);
    return [r.left + el.clientLeft + parseFloat(s.paddingLeft), r.top + el.clientTop + parseFloat(s.paddingTop)]; },
  listen,
  heard: () => heard,
  show: (id) => { node(id)?.scrollIntoView({block: 'center', inline: 'nearest', behavior: 'instant'}); },
  holds: (id) => { const el = node(id); return el ? valueOf(el, firmRole(el) || '') : null; },
  kind: (id) => { const el = node(id); return el ? {tag: tagOf(el), type: String(el.type || ''), multiple: Boolean(el.multiple),
    editable: el.isContentEditable, readonly: Boolean(el.readOnly), role: firmRole(el), min: attr(el, 'min'), max: attr(el,
      'max'),
    file: el.type === 'file' ? idOf(el) : el.control && el.control.type === 'file' ? idOf(el.control) : null} : null; },
  options: (id) => { const el = node(id); return el && el.options ? [...el.options].slice(0, 2000).map((o, n) => ({n,
    label: tidy(o.label), value: String(o.value),
    off: o.disabled || Boolean(o.closest('optgroup:disabled'))})) : []; },
  words: () => document.body ? String(document.body.innerText).slice(0, 500000) : '',
  focusIn: (id) => { let f = document.activeElement; while (f && f.shadowRoot &&
    f.shadowRoot.activeElement) f = f.shadowRoot.activeElement;
    const el = node(id); return Boolean(el && f && (within(el, f))); },
  focus: (id) => { node(id)?.focus({preventScroll: true}); },
  caretEnd: (id) => { const el = node(id); if (!el) return;
    if (typeof el.selectionStart === 'number') { el.selectionStart = el.selectionEnd = el.value.length; return; }
    if (el.isContentEditable) { const r = document.createRange(); r.selectNodeContents(el); r.collapse(false);
      const s = getSelection(); s.removeAllRanges(); s.addRange(r); } },
};
"""

PAGE_SCRIPT = "() => {\n" + NAMES + _PLACES + _WALK + _OFFERED + "\n}"
"""Evaluated once in each document; gives an object that only its caller holds, so that the page cannot see or change it."""
