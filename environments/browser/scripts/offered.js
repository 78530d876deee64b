const ids = new WeakMap(), byId = new Map();
let next = 0, out = [], used = new Set(), sources = new WeakMap(), textPlaces = null, focused = null;
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
/* What has come up and says that more is coming holds up the wait for rest, for some seconds. */
const COMING = /^((loading|please wait|one moment|just a moment)\b.{0,40}|\p{L}+ing\b.{0,40}(…|\.\.\.))$/iu;
const coming = new Map();
const briefly = (node) => String(node.textContent).slice(0, 99).trim();
let spoken = -Infinity;
function announce(node) {
  const words = briefly(node);
  if (words && words.length < 99 && !/^\p{L}+ing\b/u.test(words) && !COMING.test(words)) spoken = performance.now();
  if (coming.size < 20 && node.isConnected && COMING.test(briefly(node))) coming.set(node, performance.now());
}
function announced() {
  for (const [node, since] of coming) {
    const el = node.nodeType === 1 ? node : node.parentElement;
    if (!el || !node.isConnected || performance.now() - since > 5000 || !COMING.test(briefly(node))) coming.delete(node);
    else if (el.checkVisibility() && !el.closest(PRESSABLE)) return true;
  }
  return false;
}
const watcher = new MutationObserver((list) => { for (const m of list) { tick(m);
  if (m.type === 'characterData') announce(m.target); else for (const n of m.addedNodes) announce(n); }
  changed(list.some((m) => m.type !== 'attributes' ||
  /^(value|aria-|hidden|open|style|src)/.test(m.attributeName))); });
const watched = new WeakSet();
function watchRoot(root) {
  if (watched.has(root)) return;
  watched.add(root);
  watcher.observe(root, {childList: true, subtree: true, attributes: true, characterData: true});
}
watchRoot(document);
for (const kind of ['input', 'toggle']) addEventListener(kind, () => changed(true), {capture: true, passive: true});
/* A field tells its change as it loses the focus: that is no effect of what takes the focus. */
for (const kind of ['change', 'focusin', 'scroll']) addEventListener(kind, () => changed(false), {capture: true, passive: true});
let wanted = null, heard = '';
const hear = (e) => { if (heard !== 'press') heard = e.type === 'mousedown' ? 'half' : 'press'; };
const PRESSES = ['mousedown', 'click', 'auxclick', 'contextmenu', 'dblclick'];
/* On the element itself: a press that a page stops on its way there was never heard. */
function listen(id) {
  if (wanted) for (const kind of PRESSES) wanted.removeEventListener(kind, hear, true);
  wanted = node(id);
  heard = ''; spoken = -Infinity;
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
/* What is put off for less than two seconds is waited for; beside a new text only for less than one, since it may hide that. */
const soon = () => later().some((takes) => takes < (performance.now() - spoken < 2000 ? 1000 : 2000));
const later = () => { const ask = globalThis[KEY]; return typeof ask === 'function' ? ask('LATER') : []; };
const state = () => ({changes, contents, since: announced() || soon() ? -1 : performance.now() - last, ready: document.readyState,
  moving: moving(null), busy: Boolean(document.querySelector('[aria-busy=true]'))});
function place(id) {
  const el = node(id);
  if (!el) return {gone: true};
  const body = standIn(el), box = body.getBoundingClientRect(), shown = cut(box, clipOf(body));
  const disabled = el.matches(':disabled') || flag(el, 'aria-disabled') || Boolean(el.closest('[inert]'));
  const base = {disabled, stood: stood(el, box), moving: moving(el)};
  if (empty(box)) return {...base, hidden: true};
  if (empty(shown)) return {...base, off: true, side: box.bottom <= 0 ? 'up' : box.top >= innerHeight ?
    'down' : box.left >= innerWidth ? 'right'
    : box.right <= 0 ? 'left' : 'inside'};
  const pt = free(el, shown, !firmControl(el) && !presses(el));
  if (pt) return {...base, pt};
  const hit = hitAt((shown.left + shown.right) / 2, (shown.top + shown.bottom) / 2);
  return {...base, cover: hit ? described(hit) : 'something'};
}
const kindOf = (el) => ({tag: tagOf(el), type: String(el.type || ''), multiple: Boolean(el.multiple),
  editable: el.isContentEditable, readonly: Boolean(el.readOnly), role: firmRole(el), opens: opens(el),
  file: el.type === 'file' ? idOf(el) : el.control && el.control.type === 'file' ? idOf(el.control) : null});
function at(id, x, y) {
  const el = node(id), hit = hitAt(x, y);
  return Boolean(el) && (own(hit, el) || Boolean(hit && within(hit, el) && !firmControl(el)));
}
const answers = {
  list: () => ({els: list(), title: document.title, ...state()}),
  state, at, later: () => later().length, node, idOf, level, tie, figures: figuresOf, look, arm, disarm, focusOn,
  hits: (id, spots) => { const el = node(id); return spots.map(([x, y]) => Boolean(el) && own(hitAt(x, y), el)); },
  under: (x, y) => { const hit = hitAt(x, y); return hit ? {tag: tagOf(hit), i: idOf(hit)} : null; },
  inner: (id) => { const el = node(id), r = el.getBoundingClientRect(), s = getComputedStyle(el);
    return [r.left + el.clientLeft + parseFloat(s.paddingLeft), r.top + el.clientTop + parseFloat(s.paddingTop)]; },
  heard: () => heard,
  show: (id) => { node(id)?.scrollIntoView({block: 'center', inline: 'nearest', behavior: 'instant'}); },
  holds: (id) => { const el = node(id); return el ? valueOf(el, firmRole(el) || '') : null; },
  options: (id) => { const el = node(id); return el && el.options ? [...el.options].slice(0, 2000).map((o, n) => ({n,
    label: tidy(o.label), value: String(o.value),
    off: o.disabled || Boolean(o.closest('optgroup:disabled'))})) : []; },
  /* The size of what a wheel turned at a point scrolls: a list of its own on the page, or the page. */
  scrolled: (x, y) => {
    for (let e = document.elementFromPoint(x, y); e && e !== document.scrollingElement; e = e.parentElement) {
      const style = getComputedStyle(e), longer = e.scrollHeight > e.clientHeight || e.scrollWidth > e.clientWidth;
      if (e.localName === 'iframe' || longer && /auto|scroll/.test(style.overflowX + style.overflowY))
        return [e.clientWidth, e.clientHeight];
    }
    return [innerWidth, innerHeight];
  },
  words: () => document.body ? String(document.body.innerText).slice(0, 500000) : '',
};
/* The answer as one text, as it is, whatever a page adds to its arrays (`toJSON`). */
answers.told = (what, ...given) => JSON.stringify(answers[what](...given), function (name) { return this[name]; });
return answers;
