"""The part of the page script that says which control a press or a key falls on, and what that control is. Plain JavaScript."""

from __future__ import annotations

LOOKING = r"""
/* What may say something else at any time, and is no part of what a control is. */
const PASSING = 'output,progress,meter,time,marquee,' + ['status', 'alert', 'log', 'timer', 'progressbar', 'meter', 'tooltip',
  'note', 'marquee', 'img'].map((role) => `[role=${role}]`).join(',');
const PARTS = /^(row|listitem|article|group|treeitem|section)$/;
const is = (el, selector) => Element.prototype.matches.call(el, selector);
const TYPED = /^(text|search|url|tel|email|password|number|date|time|datetime-local|month|week)$/;
const editable = (el) => el.isContentEditable || tagOf(el) === 'textarea' || (tagOf(el) === 'input' && TYPED.test(el.type));
const SENT = /token|csrf|xsrf|nonce|verification|viewstate|^__|^utf8$|^_method$/i;

/* The control that a press of `hit` is a press of; `el` is what was meant, a control though nothing but its looks say so. */
function controlOf(hit, el) {
  const loose = el && looseRole(el, getComputedStyle(el), false);
  for (let n = hit; n; n = up(n)) {
    if (tagOf(n) === 'label' && n.control) return n.control;
    if ((n === el && loose) || firmControl(n) || is(n, NATIVE) || (presses(n) && !several(n))) return n;
  }
  return el || hit;
}
/* What takes the keys that are meant for an element: itself, what it labels, or the one field in it. */
function fieldOf(el) {
  if (editable(el) || firmControl(el) && !el.querySelector('input,textarea,[contenteditable]')) return el;
  if (el.control) return el.control;
  const inner = [...el.querySelectorAll('input,textarea,select,[contenteditable=""],[contenteditable=true]')]
    .filter((field) => field.type !== 'hidden');
  return inner.length === 1 ? inner[0] : el;
}
/* A time that goes on by itself is the same time. */
const ticks = new WeakMap();
const tick = (m) => { const at = m.type === 'characterData' ? m.target.parentElement : m.target;
  if (at && at.nodeType === 1) ticks.set(at, (ticks.get(at) || 0) + 1); };
function steady(text, at) {
  const plain = text.replace(/\d{1,2}:\d\d:\d\d/g, '#')
    .replace(/\d+(?=\s*(?:s|secs?|seconds?|mins?|minutes?|h|hours?)\b)/gi, '#');
  return (ticks.get(at) || 0) > 1 ? plain.replace(/\d{1,2}:\d\d/g, '#') : plain;
}
const visible = (el) => !el.checkVisibility || Element.prototype.checkVisibility.call(el, {checkVisibilityCSS: true});
/* The texts and values in `top`, without those of `c`; where that is much, those next to it. */
function saidIn(top, c) {
  const shown = [], hidden = [];
  let at = -1, length = 0;
  const go = (node, seen) => {
    if (length > 40000) return;
    if (node.nodeType === 3) {
      const text = tidy(node.data);
      length += text.length;
      if (text) (seen ? shown : hidden).push(steady(text, node.parentElement));
      return;
    }
    if (node.nodeType !== 1 || SKIP.test(tagOf(node)) || is(node, PASSING)) return;
    if (node === c) { at = shown.length; return; }
    const here = seen && visible(node);
    if (/^(input|select|textarea)$/.test(tagOf(node))) {
      if (here && node.type !== 'hidden') shown.push(String(valueOf(node, firmRole(node) || '') ?? node.value));
      return;
    }
    for (const child of (!isForm(node) && node.shadowRoot || node) === node ? get(node, 'childNodes') :
      node.shadowRoot.childNodes) go(child, here);
    if (tagOf(node) === 'slot') for (const child of node.assignedNodes()) go(child, here);
  };
  for (const child of get(top, 'childNodes')) go(child, true);
  const near = (top === document.body || length > 8000) && at >= 0;
  return {shown: near ? shown.slice(Math.max(0, at - 12), at + 5) : shown, hidden};
}
/* What a control stands in: a dialog, else a form, else a row or a section, else what is next to it. */
function holdersOf(c) {
  let dialog = null, form = null, part = null;
  for (let n = up(c); n && n !== document.body; n = up(n)) {
    const role = explicit(n) || firmRole(n) || tagOf(n);
    if (/dialog$/.test(role)) dialog = n;
    else if (/^(form|search)$/.test(role)) form = n;
    else if (!part && PARTS.test(role)) part = n;
  }
  let near = dialog || form || part;
  for (let n = up(c); !near && n; n = up(n))
    if (n === document.body || n.textContent.length > c.textContent.length + 400) near = n;
  const own = formOf(c);
  return [near || document.body, ...(own && !within(own, c) ? [own] : [])];
}
/* The button that Enter in a field presses. */
const byEnter = (form) => (form ? [...form.ownerDocument.querySelectorAll('button,input')].find((b) => sends(b) &&
  b.form === form) || null : null);
/* All that a control is, by parts that are each another text when they change. */
function identity(c, keys) {
  const role = firmRole(c) || tagOf(c), [name, source] = nameOf(c, role), form = formOf(c);
  const enter = keys && !is(c, 'button,a[href],summary') ? byEnter(form) : null, by = enter || c;
  const link = c.closest('a[href],area[href]'), way = form && sending(form, by), handlers = new Set();
  for (let n = c; n; n = up(n)) for (const source of handlersOf(n)) handlers.add(source);
  for (const n of [document, window, ...(form ? [form] : [])]) for (const source of handlersOf(n)) handlers.add(source);
  const around = holdersOf(c).map((top) => saidIn(top, c)), fields = form ? carried(form) : [];
  if (form && sends(by) && attr(by, 'name')) fields.push({name: attr(by, 'name'), value: String(by.value), open: true});
  const enctype = form ? (sends(by) && attr(by, 'formenctype')) || attr(form, 'enctype') || '' : '';
  const state = FIELDS.has(role) && !/^(textbox|searchbox|spinbutton|slider)$/.test(role) ? valueOf(c, role) : null;
  return {
    page: `${location.origin === 'null' ? location.protocol : location.origin}${location.pathname}`, role,
    name: source === 'class' ? '' : steady(String(name), c),
    shows: [shownBeside(c, name), state, attr(c, 'aria-pressed')].map((s) => s ?? '').join('\n'),
    leads: [link ? [attr(link, 'download') === null ? 'open' : 'download', link.href, attr(link, 'target') || '',
      attr(link, 'ping') || ''].join(' ') : '', way ? [way.how, way.url.href, way.target, enctype].join(' ') : '']
      .join('\n').trim(),
    own: [by, ...(link && link !== by ? [link] : [])].map(marks).join('\n'),
    enter: enter ? `${nameOf(enter, 'button')[0]}\n${attr(enter, 'name')}\n${enter.value}` : '',
    fields: fields.map((f) => [f.name, SENT.test(f.name) ? '' : f.value, f.open]),
    around: around.flatMap((a) => a.shown), hidden: around.flatMap((a) => a.hidden),
    handlers: [...handlers].sort(),
  };
}
/* The control on which a press at a point falls, or on which a press of an element would; null where there is neither. */
function pressed(id, point) {
  const el = node(id);
  let at = point;
  if (el && !at) {
    const body = standIn(el), shown = cut(body.getBoundingClientRect(), clipOf(body));
    at = empty(shown) ? null : free(el, shown, !firmControl(el) && !presses(el));
  }
  const hit = at ? hitAt(at[0], at[1]) : null;
  const mine = Boolean(el && hit && (own(hit, el) || (within(hit, el) && !firmControl(hit))));
  const c = el && hit ? controlOf(mine && !own(hit, el) ? el : hit, el) : hit || el ? controlOf(hit || el, el) : null;
  return {c, gone: !el, other: Boolean(el && hit && !mine)};
}
const active = () => { let f = document.activeElement; while (f && f.shadowRoot && f.shadowRoot.activeElement)
  f = f.shadowRoot.activeElement; return f || document.body; };
/* `how` is `press`, `keys` or `focus`. */
function target(id, point, how) {
  if (how === 'focus') return {c: active(), gone: false, other: false};
  const el = how === 'keys' ? node(id) : null;
  return how === 'keys' ? {c: el && fieldOf(el), gone: !el, other: false} : pressed(id, point);
}
function look(id, point, how) {
  const {c, gone, other} = target(id, point, how);
  if (!c) return {gone: true};
  const found = identity(c, how !== 'press'), form = formOf(c), link = c.closest('a[href],area[href]');
  return {...found, gone, other, i: idOf(c), tag: tagOf(c), type: String(c.type || ''), editable: editable(c),
    url: location.href, expected: expected(c, form, link, how !== 'press')};
}
"""
