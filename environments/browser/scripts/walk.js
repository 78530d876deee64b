const SKIP = /^(script|style|template|noscript|head|meta|link|title|option|optgroup|datalist|source|track|param|base|br|hr|wbr)$/;
const secret = (el) => el.type === 'password' || /(^|\s)(cc-|one-time-code|current-password|new-password)/.test(attr(el,
  'autocomplete') || '');
/* What a field of a kind takes, said where the browser draws it instead of a placeholder. */
const SHAPES = {date: 'yyyy-mm-dd', time: 'hh:mm', 'datetime-local': 'yyyy-mm-ddThh:mm', month: 'yyyy-mm', week: 'yyyy-Www'};
const flag = (el, name) => attr(el, name) === 'true';

function record(el, role, name, source, parent, clip, faded) {
  const e = {i: idOf(el), p: parent, r: role, n: name, s: source, t: tagOf(el), at: String(el.id || '')};
  sources.set(e, {el, clip, faded, calm: !CONTROLS.has(role) && !presses(el)});
  if (CONTROLS.has(role) || role === 'row' || role === 'cell') states(el, role, e);
  /* A page may say that something moves the physical world, of a thing and of all in it; it cannot say that nothing does. */
  if (el.closest('[data-actuator]')) e.ac = 1;
  if (role === 'progressbar' || role === 'meter') e.val = tidy(attr(el, 'aria-valuenow') ?? (el.value !== undefined ?
    el.value : ''));
  out.push(e);
  return e;
}
/* Where it is and can be pressed, which takes longest: told of what is listed alone. */
function placed(e) {
  const {el, clip, faded, calm} = sources.get(e), box = standIn(el).getBoundingClientRect(), shown = cut(box, clip);
  const point = !empty(shown) && !faded ? free(el, shown, calm) : null, b = point ? shown : box;
  stood(el, box);
  Object.assign(e, {b: [b.left, b.top, b.right, b.bottom], v: Boolean(point)});
  if (point) e.pt = point;
  if (point && /dialog$/.test(e.r) && (flag(el, 'aria-modal') || el.matches(':modal') || coversWindow(el))) e.m = 1;
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
  if (role === 'slider' && shownBy.has(el)) return String(levelOf(el) ?? '');
  if (role === 'slider' || role === 'spinbutton') return tidy(attr(el, 'aria-valuetext') ?? attr(el, 'aria-valuenow') ?? '');
  if (role === 'combobox' || role === 'textbox' || role === 'searchbox') return tidy(attr(el, 'aria-valuetext') ||
    el.innerText || '');
  return null;
}
/* Whether it stands before something that lies over the whole window: then nothing else can be pressed, whatever it declares. */
function coversWindow(el) {
  for (let n = el; n && n !== document.body; n = up(n)) {
    const box = n.getBoundingClientRect();
    if (getComputedStyle(n).position === 'fixed' && box.left <= 0 && box.top <= 0 && box.right >= innerWidth &&
      box.bottom >= innerHeight) return true;
  }
  return false;
}
function states(el, role, e) {
  const value = valueOf(el, role);
  if (value !== null) e.val = value;
  if (el.matches(':disabled') || flag(el, 'aria-disabled') || el.closest('[inert]')) e.d = 1;
  if (el.required || flag(el, 'aria-required')) e.q = 1;
  if ((attr(el, 'aria-invalid') || 'false') !== 'false' || (FIELDS.has(role) && el.matches(':user-invalid'))) e.w = 1;
  if (flag(el, 'aria-selected') || flag(el, 'aria-pressed') || (attr(el, 'aria-current') || 'false') !== 'false') e.sel = 1;
  const open = attr(el, 'aria-expanded');
  if (open !== null) e.x = open === 'true';
  else if (tagOf(el) === 'summary' && tagOf(el.parentElement) === 'details') e.x = el.parentElement.open;
  if (el === focused) e.f = 1;
  if (secret(el)) e.pr = 1;
  if (FIELDS.has(role)) e.ph = tidy(attr(el, 'placeholder')) || SHAPES[el.type] || '';
  if (tagOf(el) === 'select') e.o = [...el.options].slice(0, 500).map((o) => tidy(o.label));
  if (attr(el, 'list') && el.list) e.o = [...el.list.options].slice(0, 500).map((o) => tidy(o.value));
  const to = leadsTo(el);
  if (to) e.h = to;
  const other = CONTROLS.has(role) && !FIELDS.has(role) ? shownBeside(el, e.n) : '';
  if (other) e.sh = other;
}
/* The text of an element and of the inline things in it, links too; blocks and what has a role of its own are left to
   themselves. */
function run(el) {
  let text = '';
  for (const node of get(el, 'childNodes')) {
    if (text.length > 8000) break;
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
  if (isForm(el) && veiled(el)) return children(el, parent, clip, pointing, taken, faded, style);
  const box = el.getBoundingClientRect();
  const hidden = style.visibility !== 'visible' || (el.checkVisibility && style.display !== 'contents' &&
    !el.checkVisibility());
  const gone = style.display === 'contents' || hidden;
  const small = box.width < 2 || box.height < 2;
  if (style.position === 'fixed') clip = view();
  if (style.opacity === '0' && el.type !== 'file' && el.closest('[aria-hidden=true]')) return;
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
      return children(el, e.i, clip, true, 'all', faint, style);
    }
    if (HOLDERS.has(role) || SAID.has(role)) {
      const e = said(el, role, parent, clip, faint, taken);
      if (e) { inside = e.i; taken = taken || Boolean(e.n); }
      if (/^(iframe|frame|video|audio|canvas|progress|meter|img)$/.test(tagOf(el))) return;
    }
  } else if (!gone && !small && !taken) {
    const text = ownText(el).trim() ? prose(run(el)) : '';
    const icon = !text && iconic(el, style, box) ? tokens(el) || pictured(el) : '';
    if (icon) record(el, 'img', icon, tokens(el) ? 'class' : 'image', parent, clip, faint);
    if (text) { record(el, 'text', text, 'content', parent, clip, faint); taken = true; }
  }
  children(el, inside, clip, style.cursor === 'pointer' && !several(el), taken, faint, style);
}
/* A container or a saying: its own words are its name, and what is inside hangs below it. */
function said(el, role, parent, clip, faded, taken) {
  let name = tidy(attr(el, 'aria-label')) || byIds(el, 'aria-labelledby'), source = name ? 'title' : null;
  if (!name && taken === 'all' && SAID.has(role)) return null;
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
  /* An empty cell keeps the place of its column. */
  if (!name && (/^(heading|status|alert|listitem|group|tooltip|log)$/.test(role) || (/^(cell|gridcell|(column|row)header)$/
    .test(role) && !el.nextElementSibling)) && !el.childElementCount && !presses(el) && attr(el, 'tabindex') === null)
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
  if (clips(style) && tagOf(el) !== 'body' && tagOf(el) !== 'html') clip = cut(clip, boxOf(el));
  const root = isForm(el) ? null : el.shadowRoot;
  if (root) watchRoot(root);
  const inner = root ? root.children : tagOf(el) === 'slot' && el.assignedElements().length ?
    el.assignedElements() : get(el, 'children');
  for (const child of inner) visit(child, parent, clip, pointing, taken === 'all' ? taken : taken && !blockish(child), faded);
}
function list() {
  out = []; used = new Set(); textPlaces = null; sources = new WeakMap();
  focused = document.activeElement;
  while (focused && focused.shadowRoot && focused.shadowRoot.activeElement) focused = focused.shadowRoot.activeElement;
  if (document.body) visit(document.body, null, view(), false, false, false);
  merge();
  const spare = new Set();
  for (const node of used) if (ids.has(node)) spare.add(ids.get(node));
  const parents = new Set(out.map((e) => e.p));
  const naming = out.filter((e) => /^(label|nearby)$/.test(e.s || '')), named = new Set(naming.map((e) => e.n));
  const forms = new Set(naming.filter((e) => !/^(checkbox|radio|switch)$/.test(e.r)).map((e) => e.n));  /* a row's own box takes no cell from it */
  return out.filter((e) => !(/^(text|cell|columnheader)$/.test(e.r) && !parents.has(e.i) && (spare.has(e.i) ||
    within_used(e)) && (e.r === 'cell' ? forms : named).has(e.n))).map(placed);
}
/* A control that only wraps another of the same name is one control with it: the firm one, or the
   outer where both are; a native one that stands in it takes the press for both. */
function merge() {
  const at = new Map(out.map((e) => [e.i, e])), drop = new Map();
  for (const e of out) {
    const outer = at.get(e.p);
    if (!outer || !e.n || e.n !== outer.n || !CONTROLS.has(e.r) || !CONTROLS.has(outer.r)) continue;
    if (/^(listbox|tree|menu|tablist)$/.test(outer.r) && e.r !== outer.r) continue;  /* a list of one is not its one entry */
    const firm = firmControl(node(outer.i)), held = node(e.i).matches(NATIVE) && !node(outer.i).matches(NATIVE);
    const inner = firmControl(node(e.i)) && (!firm || held);
    if (inner && firm) { e.r = outer.r; if (outer.sel) e.sel = 1; }
    drop.set(inner ? outer.i : e.i, inner ? outer.p : outer.i);
  }
  const live = (i) => { while (drop.has(i)) i = drop.get(i); return i; };
  out = out.filter((e) => !drop.has(e.i));
  for (const e of out) e.p = live(e.p);
}
function within_used(e) {
  const el = node(e.i);
  for (let n = el; n; n = up(n)) if (used.has(n)) return true;
  return el ? [...el.childNodes].some((n) => used.has(n)) : false;
}
