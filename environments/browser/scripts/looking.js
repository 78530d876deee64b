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
/* A time that goes on by itself is the same time; outside of forms and dialogs so is any figure. */
const ticks = new WeakMap();
const tick = (m) => { const at = m.type === 'characterData' ? m.target.parentElement : m.target;
  if (at && at.nodeType === 1) ticks.set(at, (ticks.get(at) || 0) + 1); };
function steady(text, at, loose) {
  if (loose && (ticks.get(at) || 0) > 2) return text.replace(/\d+/g, '#');
  const plain = text.replace(/\d{1,2}:\d\d:\d\d/g, '#')
    .replace(/\d+(?=\s*(?:s|secs?|seconds?|mins?|minutes?|h|hours?)\b)/gi, '#');
  return (ticks.get(at) || 0) > 1 ? plain.replace(/\d{1,2}:\d\d/g, '#') : plain;
}
const visible = (el) => !el.checkVisibility || Element.prototype.checkVisibility.call(el, {checkVisibilityCSS: true});
/* The texts and values in `top`, without those of `c`; where that is much, those next to it. */
function saidIn(top, c) {
  const shown = [], hidden = [], loose = !/dialog$|^form$|^search$/.test(explicit(top) || firmRole(top) || '');
  let at = -1, length = 0;
  const go = (node, seen) => {
    if (length > 40000) return;
    if (node.nodeType === 3) {
      const text = tidy(node.data);
      length += text.length;
      if (text) (seen ? shown : hidden).push(steady(text, node.parentElement, loose));
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
  for (const from of enter ? [c, enter] : [c]) for (let n = from; n; n = up(n))
    for (const source of handlersOf(n)) handlers.add(source);
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
/* The control on which a press at a point falls, or on which a press of an element would. */
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
  return {c};
}
const active = () => { let f = document.activeElement; while (f && f.shadowRoot && f.shadowRoot.activeElement)
  f = f.shadowRoot.activeElement; return f || document.body; };
/* `how` is `press`, `keys` or `focus`. */
function target(id, point, how) {
  if (how === 'focus') return {c: active()};
  const el = how === 'keys' ? node(id) : null;
  return how === 'keys' ? {c: el && fieldOf(el)} : pressed(id, point);
}
/* Whether a control opens a list that the page draws. */
const opens = (el) => /^(combobox|listbox|menu|tree)$/.test(firmRole(el) || '') || /^(true|menu|listbox|tree|grid|dialog)$/
  .test(attr(el, 'aria-haspopup') || '');
const byKeys = (c, how) => how === 'focus' || (how === 'keys' && !/^(checkbox|radio)$/.test(c.type));
/* All that is asked of an element before anything is done with it. */
function look(id, point, how) {
  const el = node(id), {c} = target(id, point, how);
  return {...(c ? lookOf(c, identity(c, byKeys(c, how)), byKeys(c, how)) : {}), kind: el && kindOf(el),
    place: {...place(id), exact: Boolean(point) && at(id, ...point)}};
}
function lookOf(c, parts, keys) {
  const sent = expected(c, formOf(c), c.closest('a[href],area[href]'), keys);
  return {...parts, i: idOf(c), tag: tagOf(c), type: String(c.type || ''), editable: editable(c), pressed: pressable(c),
    sends: Boolean(sends(c)), field: attr(c, 'name') || '', url: location.href, expected: sent};
}

/* What the guard of the document lets through: a press of this control, or keys into it, as it was when it was looked at. */
let arms = null, downOn = null;
const lightly = (c) => [firmRole(c), nameOf(c, firmRole(c) || tagOf(c))[0], leadsTo(c), marks(c), formOf(c) &&
  marks(formOf(c))].join('\n');
const asText = (parts) => JSON.stringify({...parts, hidden: null}), wholly = (c, keys) => asText(identity(c, keys));
const pressable = (n) => Boolean(firmControl(n) || is(n, NATIVE) || (presses(n) && !several(n)));
const MODIFIER = /^(Shift|Control|Alt|Meta|AltGraph|CapsLock)$/, ENTERS = /^(Enter| )$/;
function arm(id, point, how, mode, to) {
  const {c} = target(id, point, how);
  if (!c) return {};
  const keys = byKeys(c, how), parts = identity(c, keys), enter = keys ? byEnter(formOf(c)) : null;
  arms = {c, el: node(id), hit: point && hitAt(point[0], point[1]), mode, keys, enter, light: lightly(c),
    by: enter && lightly(enter), to: to ? pressed(to[0], to[1]).c : null, whole: asText(parts), reached: false, fouls: []};
  guard(arms);
  if (mode === 'press' && node(id)) listen(id);
  return lookOf(c, parts, keys);
}
/* Empty where an event may go on; otherwise what it would have fallen on. */
function judge(a, e) {
  const at = e.composedPath()[0], key = /^key/.test(e.type), why = a.mode === 'keys' ? byKey(a, e, at) :
    key ? (MODIFIER.test(e.key) ? '' : 'a key') : byPointer(a, e, at);
  if (why && why !== 'quiet' && a.fouls.length < 20) a.fouls.push([e.type, why]);
  return why;
}
const called = (n) => `${firmRole(n) || tagOf(n)} "${tidy(nameOf(n, firmRole(n) || tagOf(n))[0]).slice(0, 60)}"`;
function byPointer(a, e, at) {
  if (at.nodeType !== 1) return at === document ? '' : 'nothing';
  const there = controlOf(at, a.el), mine = there === a.c || (at === a.hit && !pressable(there));
  if (/down$/.test(e.type)) {
    if (a.mode === 'up') return called(there);
    if (!mine) return called(there);
    if (!a.reached && wholly(a.c, a.keys) !== a.whole) return 'changed';
    if (a.reached && lightly(a.c) !== a.light) return 'changed';
    a.reached = true;
    downOn = a.c;
    return '';
  }
  const click = /click|contextmenu/.test(e.type);
  if (!a.reached && a.mode !== 'up') return pressable(there) || !click ? called(there) : '';
  if (a.mode === 'up' && !a.reached) {
    if (mine && wholly(a.c, a.keys) !== a.whole) return 'changed';
    a.reached = true;
  }
  if (click && e.type === 'click' && e.detail === 0) return '';  /* what a label or a script of the page passes on */
  if (click && a.mode === 'drag') return !(firmControl(there) || is(there, NATIVE)) ? '' : mine ? 'quiet' : called(there);
  if (click && a.mode === 'up' && mine && downOn !== a.c) return called(there);
  if (!pressable(there)) return '';
  if (mine) return lightly(a.c) === a.light ? '' : 'changed';
  return a.mode === 'drag' && (there === a.to || within(a.to || a.c, at)) ? '' : called(there);
}
function byKey(a, e, at) {
  if (/^key/.test(e.type) && MODIFIER.test(e.key)) return '';
  if (e.type === 'click') {
    if (e.detail !== 0) return called(at);
    if (at === a.c || own(at, a.c) || within(a.c, at)) return lightly(a.c) === a.light ? '' : 'changed';
    return at === a.enter && lightly(at) === a.by ? '' : called(at);
  }
  if (!/^(key|beforeinput)/.test(e.type)) return 'nothing';
  const mine = at === a.c || (at.nodeType === 1 && within(a.c, at) && at !== document.body);
  if (!mine) {  /* a code whose every character has a field of its own */
    if (!(a.c.maxLength > 0 && a.c.value && a.c.value.length >= a.c.maxLength && editable(at) && at.form === a.c.form))
      return at.nodeType === 1 ? called(at) : 'nothing';
    Object.assign(a, {c: at, light: lightly(at), whole: wholly(at, a.keys)});
  }
  if (e.type === 'keydown' && ENTERS.test(e.key) && !a.reached && (e.key === 'Enter' || !editable(a.c))) {
    if (wholly(a.c, a.keys) !== a.whole) return 'changed';
    a.reached = true;
  }
  return '';
}
const guard = (a) => { const set = globalThis[KEY]; if (typeof set === 'function') set(SECRET, a && ((e) => judge(a, e))); };
/* What the guard stopped since it was armed; nothing is let through from here on. */
function disarm() { const was = arms; arms = null; guard(null);
  return was ? {fouls: was.fouls, reached: was.reached} : {fouls: [], reached: false}; }
/* The script's own way to give the focus: with the caret at the end, or with all that the field holds selected. */
function focusOn(id, whole) {
  const el = node(id), field = el && fieldOf(el);
  if (field && active() !== field) field.focus({preventScroll: true});
  if (!field || !within(field, active())) return false;
  if (typeof field.selectionStart === 'number') field.setSelectionRange(whole ? 0 : field.value.length, field.value.length);
  else if (whole && field.select) field.select();
  else if (field.isContentEditable) {
    const range = document.createRange(), chosen = getSelection();
    range.selectNodeContents(field);
    if (!whole) range.collapse(false);
    chosen.removeAllRanges(); chosen.addRange(range);
  }
  return true;
}
