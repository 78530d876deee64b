const MAX = 300;
const tidy = (s) => String(s ?? '').slice(0, 4000).replace(/\s+/g, ' ').trim().slice(0, MAX);
/* Fields that are called like a property of their form stand in its place: `children`, `parentElement`. */
const getter = (of, name) => { const get = Object.getOwnPropertyDescriptor(of, name).get; return (el) => get.call(el); };
const isForm = (el) => el instanceof HTMLFormElement, partsOf = getter(HTMLFormElement.prototype, 'elements');
const ownGet = {children: getter(Element.prototype, 'children'), childNodes: getter(Node.prototype, 'childNodes'),
  parentElement: getter(Node.prototype, 'parentElement'), assignedSlot: getter(Element.prototype, 'assignedSlot')};
const get = (el, name) => (isForm(el) ? ownGet[name](el) : el[name]);
const rootOf = (el) => Node.prototype.getRootNode.call(el), boxOf = (el) => Element.prototype.getBoundingClientRect.call(el);
const TAKEN = new RegExp('^(get\\w+|check\\w+|query\\w+|on[a-z]+|child[NE]\\w+|\\w*(Sibling|Child|Root|Slot|Element|Text|' +
  'Editable|Type|Index|Connected)|matches|closest|labels|attributes|localName|textContent)$');
const veiled = (form) => [...partsOf(form)].some((el) => TAKEN.test(el.name || '') || TAKEN.test(el.id || ''));
const attr = (el, name) => (isForm(el) ? Element.prototype.getAttribute.call(el, name) : el.getAttribute ?
  el.getAttribute(name) : null);
const tagOf = (el) => (isForm(el) ? 'form' : String(el.localName || '').toLowerCase());
const up = (el) => get(el, 'assignedSlot') || get(el, 'parentElement') || (rootOf(el) instanceof ShadowRoot ?
  rootOf(el).host : null);
const within = (outer, el) => { for (let n = el; n; n = up(n)) if (n === outer) return true; return false; };

const INPUTS = {button: 'button', submit: 'button', reset: 'button', image: 'button', checkbox: 'checkbox', radio: 'radio',
  range: 'slider', number: 'spinbutton', search: 'searchbox', file: 'button', color: 'button'};
const TAGS = {button: 'button', summary: 'button', textarea: 'textbox', h1: 'heading', h2: 'heading', h3: 'heading',
  h4: 'heading',
  h5: 'heading', h6: 'heading', img: 'img', li: 'listitem', tr: 'row', td: 'cell', th: 'columnheader', form: 'form',
  dialog: 'dialog', fieldset: 'group', progress: 'progressbar', meter: 'meter', iframe: 'iframe', frame: 'iframe',
    output: 'status',
  video: 'video', audio: 'audio', canvas: 'canvas'};
const CONTROLS = new Set(['button', 'link', 'textbox', 'searchbox', 'checkbox', 'radio', 'switch', 'combobox', 'listbox',
  'option',
  'menuitem', 'menuitemcheckbox', 'menuitemradio', 'tab', 'treeitem', 'slider', 'spinbutton']);
const FIELDS = new Set(['textbox', 'searchbox', 'checkbox', 'radio', 'switch', 'combobox', 'listbox', 'slider', 'spinbutton']);
const HOLDERS = new Set(['row', 'listitem', 'cell', 'gridcell', 'columnheader', 'rowheader', 'form', 'dialog', 'alertdialog',
  'group',
  'menu', 'tablist', 'radiogroup', 'tree', 'article', 'listbox', 'iframe']);
const SAID = new Set(['heading', 'status', 'alert', 'progressbar', 'meter', 'img', 'log', 'tooltip', 'video', 'audio',
  'canvas']);
const NATIVE = 'a[href],button,input:not([type=hidden]),select,textarea,summary,[contenteditable=""],[contenteditable=true]';

/* Running text is longer than a name: what a paragraph says is there to be read. */
const prose = (s) => String(s ?? '').slice(0, 8000).replace(/\s+/g, ' ').trim().slice(0, 4000);

/* A handle on a track that a page draws is a slider, though nothing says so but the words it is styled by. */
const TRACK = /(^|[-_\s])(slider|slide|range)s?($|[-_\s])/i, HANDLE = /(^|[-_\s])(handle|thumb|knob)s?($|[-_\s])/i;
const styled = (el) => (el && typeof el.className === 'string' ? el.className : '');
const slides = (el) => HANDLE.test(styled(el)) && !el.matches('input') && el.childElementCount < 3 &&
  (TRACK.test(styled(el)) || TRACK.test(styled(el.parentElement)) || TRACK.test(styled(el.parentElement?.parentElement)));

const explicit = (el) => tidy(attr(el, 'role')).toLowerCase().split(' ')[0] || null;
const isEditor = (el) => el.isContentEditable && !(el.parentElement && el.parentElement.isContentEditable);
function nativeRole(el) {
  const tag = tagOf(el);
  if (tag === 'a') return attr(el, 'href') !== null ? 'link' : null;
  if (tag === 'input' && attr(el, 'aria-hidden') === 'true' && el.tabIndex < 0) return null;  /* a shadow of a drawn one */
  if (tag === 'input') return el.type === 'hidden' ? null : INPUTS[el.type] || (attr(el, 'list') ? 'combobox' : 'textbox');
  if (tag === 'select') return el.multiple || el.size > 1 ? 'listbox' : 'combobox';
  return TAGS[tag] || null;
}
const known = (role) => role && (CONTROLS.has(role) || HOLDERS.has(role) || SAID.has(role));
function firmRole(el) {
  const given = explicit(el);
  if (known(given)) return given;
  if (el.isContentEditable && isEditor(el) && tagOf(el) !== 'body') return 'textbox';
  if (slides(el)) return 'slider';
  return nativeRole(el);
}
const listens = (el) => { const ask = globalThis[KEY]; return typeof ask === 'function' && ask(el) === true; };
const handled = (el) => Boolean(el.onclick || el.onmousedown || el.onmouseup || el.onpointerdown || attr(el, 'ng-click') ||
  attr(el, '@click') || attr(el, 'jsaction'));
const presses = (el) => handled(el) || listens(el);
const blockish = (el) => !/^(inline|contents|none)/.test(getComputedStyle(el).display);

/* A thing that is no native control and reacts to a click all the same: by its handlers, its cursor or its place in the tab
   order. */
function looseRole(el, style, pointing) {
  const tag = tagOf(el);
  if (tag === 'body' || tag === 'html' || tag === 'label' || tag === 'option') return null;
  const hand = handled(el) || (listens(el) && !several(el)), cursor = style.cursor === 'pointer' && !pointing;
  const tabbed = attr(el, 'tabindex') !== null && el.tabIndex >= 0;
  if (!hand && !cursor && !tabbed) return null;
  const box = el.getBoundingClientRect();
  if (box.width * box.height > 0.6 * innerWidth * innerHeight) return null;
  if (several(el) && (!hand || delegates(el, style))) return null;
  if ([...get(el, 'children')].some(slides)) return null;
  if (tabbed && !hand && !cursor && (el.querySelector(NATIVE) || el.childElementCount > 3)) return null;
  if (tag === 'tr' || tag === 'td' || tag === 'th') return TAGS[tag];
  return tag === 'a' ? 'link' : 'button';
}
const PRESSABLE = NATIVE + ',[role=option],[role=button],[role=menuitem],[role=tab],[role=treeitem],[role=radio],' +
  '[role=checkbox],[role=switch]';
/* A list or a table, or a box around things to press, hears their presses for them. */
const delegates = (el, style) => /^(table|tbody|thead|tfoot|ul|ol|dl|form|fieldset)$/.test(tagOf(el)) ||
  (style.cursor !== 'pointer' && (alike(el) ||
  [...el.children].filter((child) => getComputedStyle(child).cursor === 'pointer').length > 1 ||
  el.querySelectorAll(PRESSABLE).length > 1));
const alike = (el) => new Set([...el.children].map((child) => tagOf(child) + ' ' + styled(child))).size === 1 &&
  el.childElementCount > 1 && [...el.children].every((child) => tidy(child.textContent));
/* Whether a cursor belongs to what is inside, not to the thing: a list whose items are pressed. */
function several(el) {
  let here = el;
  while (here.childElementCount === 1 && !tidy(ownText(here))) here = here.firstElementChild;
  let blocks = 0;
  for (const child of get(here, 'children')) if (blockish(child) && ++blocks > 1) return true;
  return Boolean(here !== el && here.matches(NATIVE)) || here.querySelectorAll(NATIVE).length > 1;
}
/* A small thing without words that is drawn by a style sheet: an icon, which may well be a control that shows it on hover
   only. */
function iconic(el, style, box) {
  if (el.childElementCount || ownText(el).trim() || box.width > 64 || box.height > 64 || box.width < 6 ||
    box.height < 6) return false;
  if (style.backgroundImage.startsWith('url') || style.content.startsWith('url')) return true;
  const drawn = getComputedStyle(el, '::before').content;
  return drawn !== 'none' && drawn !== 'normal' && drawn !== '""';
}
/* Without what a component shows in a control of its own: that is the control's name. */
const ownText = (el) => { let s = ''; for (const n of el.childNodes)
  if (n.nodeType === 3 && !(n.assignedSlot && n.assignedSlot.closest(PRESSABLE))) s += n.data; return s; };

const slotted = (el) => (tagOf(el) === 'slot' && el.assignedNodes().length ? el.assignedNodes({flatten: true}) : null);
/* Text without what stands in the controls inside it. */
function plain(el, skip) {
  let out = '';
  const go = (node) => {
    if (out.length > 600) return;
    if (node.nodeType === 3) { out += node.data; return; }
    if (node.nodeType !== 1 || node === skip ||
      /^(script|style|select|textarea|input|button|template|noscript)$/.test(tagOf(node))) return;
    if (getComputedStyle(node).display === 'none') return;
    if (blockish(node)) out += ' ';
    for (const child of slotted(node) || get(node, 'childNodes')) go(child);
  };
  go(el);
  return tidy(out);
}
const textsOf = (root) => [...root.childNodes].map((n) => (n.nodeType === 3 ? n.data : n.nodeType === 1 ? plain(n) : '')).join(' ');
function content(el) {
  const tag = tagOf(el);
  if (tag === 'input') return /^(button|submit|reset)$/.test(el.type) ? tidy(el.value || (el.type === 'button' ?
    '' : el.type)) : '';
  if (tag === 'select' || tag === 'textarea') return '';
  const below = explicit(el) === 'treeitem' ? el.querySelector('[role=group],ul,ol') : null;
  if (below) return plain(el, below);
  if (!el.matches(NATIVE) && el.querySelector(NATIVE)) return plain(el) || tidy(el.innerText);
  if (el.querySelector('slot')) return tidy(textsOf(el));
  return el.shadowRoot ? tidy(textsOf(el.shadowRoot) + ' ' + plain(el)) : tidy(el.innerText ?? el.textContent);
}
function byIds(el, name) {
  const root = el.getRootNode(), found = [];
  for (const id of tidy(attr(el, name)).split(' ')) {
    const other = id && root.getElementById ? root.getElementById(id) : null;
    if (other === el && (explicit(el) === 'combobox' || attr(el, 'aria-haspopup') === 'listbox')) continue;  /* its value */
    if (other) { found.push(tidy(other.innerText ?? other.textContent)); used.add(other); }
  }
  return tidy(found.join(' '));
}
function labelled(el) {
  const by = byIds(el, 'aria-labelledby');
  if (by) return by;
  const texts = [];
  for (const label of el.labels || []) {
    const text = plain(label, el);
    if (text) { texts.push(text); used.add(label); }
  }
  return tidy(texts.join(' '));
}
function titled(el) {
  const svg = tagOf(el) === 'svg' ? el : el.querySelector('svg');
  const inner = el.querySelector('img[alt]:not([alt=""]),[aria-label]:not([aria-label=""])');
  return tidy(attr(el, 'title')) || tidy(attr(el, 'alt')) || (svg && tidy(svg.querySelector('title')?.textContent)) ||
    (inner && tidy(attr(inner, 'aria-label') || attr(inner, 'alt'))) || '';
}
const GENERIC = new Set((
  'icon icons ico btn button btns fa fas far fab fal glyphicon material symbols outlined ui img image span div ' +
  'link control action actions item items active selected disabled hover js css style wrapper container inner ' +
  'outer left right top bottom small large big md sm lg xl svg pull col row flex block inline the is has default ' +
  'primary secondary state widget corner all helper reset clearfix input field text focus focused').split(' '));
function tokens(el) {
  for (const from of [attr(el, 'class'), el.id, attr(el, 'name'), attr(el, 'data-testid')]) {
    const words = tidy(from).replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase().split(/[^a-z]+/)
      .filter((w) => w.length > 1 && w.length < 20 && !GENERIC.has(w));
    if (words.length) return [...new Set(words)].slice(0, 3).join(' ');
  }
  return el.childElementCount === 1 ? tokens(el.firstElementChild) : '';
}
function pictured(el) {
  const img = tagOf(el) === 'img' || el.type === 'image' ? el : el.querySelector('img');
  const bg = img ? '' : getComputedStyle(el).backgroundImage;
  const src = img ? img.currentSrc || img.src : (/url\("?([^")]+)/.exec(bg) || [])[1];
  if (!src || src.startsWith('data:')) return '';
  const stem = src.split(/[?#]/)[0].split('/').pop().replace(/\.\w+$/, '');
  return tidy(stem.split(/[^A-Za-z]+/).filter((w) => w.length > 1 && w.length < 20).join(' ').toLowerCase());
}

/* Whether a text can be what a field is called: a sentence, or a piece of one, is not. */
const labels = (s) => /[\p{L}\p{N}]/u.test(s) && s.length <= 80 && s.split(' ').length <= 8 && !/[.!?;]\s+\S/.test(s) &&
  (!/[.!,;]$/.test(s) || (s.length <= 6 && !s.includes(' ')));
/* The text that stands beside a field which nothing else names: the same parent first, then the places on the screen. */
function beside(el, role) {
  const cell = el.closest('td'), head = cell && cell.closest('table')?.rows[0]?.cells[cell.cellIndex];
  if (head && tagOf(head) === 'th' && head.parentElement !== cell.parentElement && labels(plain(head))) return plain(head);
  const after = role === 'checkbox' || role === 'radio' || role === 'switch';
  let here = el;
  for (let level = 0; level < 3 && here && tagOf(here) !== 'body'; level++, here = here.parentElement) {
    if (isForm(here) && veiled(here)) break;
    if (level && here.querySelectorAll(NATIVE).length > 1) break;
    for (const way of after ? ['nextSibling', 'previousSibling'] : ['previousSibling', 'nextSibling']) {
      if (!after && way === 'nextSibling') continue;
      let node = here[way];
      for (let n = 0; node && n < 4; n++, node = node[way]) {
        if (node.nodeType === 1 && (node.matches(NATIVE) || node.querySelector(NATIVE))) break;
        const text = node.nodeType === 3 ? tidy(node.data) : node.nodeType === 1 ? plain(node) : '';
        if (text && labels(text) && !(node.nodeType === 1 && /^(table|ul|ol|dl)$/.test(tagOf(node)))) {
          used.add(node);
          return text;
        }
        if (text) break;
      }
    }
  }
  return nearby(el, after);
}
/* A figure beside a field is what a slider stands at, or a count; it changes, and calls nothing. */
const FIGURE = /^[-+]?\d+([.,]\d+)?\s?%?$/;
function texts() {
  if (textPlaces) return textPlaces;
  textPlaces = [];
  const walk = document.createTreeWalker(document.body || document.documentElement, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node && textPlaces.length < 1500; node = walk.nextNode()) {
    const text = tidy(node.data), parent = node.parentElement;
    if (!text || text.length > 80 || !parent ||
      parent.closest(
      'script,style,button,a,option,textarea,select,noscript,[role=button],[role=menu],' +
      '[role=option],[role=tab],[onclick]')) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const box = range.getBoundingClientRect();
    let block = parent;
    while (block.parentElement && !blockish(block)) block = block.parentElement;
    const whole = tidy(run(block));
    if (!labels(text) || FIGURE.test(text) || (whole !== text && !labels(whole))) continue;
    if (box.width && box.height) textPlaces.push({text, box, node, parent});
  }
  return textPlaces;
}
function nearby(el, after) {
  const box = el.getBoundingClientRect();
  let best = null, least = 1e9;
  for (const t of texts()) {
    const cell = t.parent.closest('td,th');
    if (cell && !within(cell.closest('table'), el)) continue; // it belongs to what stands in its own row
    const level = Math.abs((t.box.top + t.box.bottom) / 2 - (box.top + box.bottom) / 2) < Math.max(box.height,
      t.box.height) * 0.6;
    const left = box.left - t.box.right, right = t.box.left - box.right, above = box.top - t.box.bottom;
    let far = 1e9;
    if (level && left >= -4 && left < 250) far = after ? left + 150 : left;
    if (level && right >= -4 && right < (after ? 150 : 40) && (after || !t.text.endsWith(':')))
      far = Math.min(far, after ? right : right + 400);
    if (!after && above >= -4 && above < 40 && t.box.left < box.right && t.box.right > box.left) far = Math.min(far,
      above * 2 + 30);
    if (far < least) { least = far; best = t; }
  }
  if (!best || within(el, best.parent)) return '';
  used.add(best.node);
  if (tidy(ownText(best.parent)) === best.text) used.add(best.parent);
  return best.text;
}

/* What a control shows that its name does not say: words of its own beside a label for those who do not see it, or words
   that a style sheet draws. Nothing where the name has them; signs and pictures are no words. */
const letters = (s) => tidy(s).toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ').trim();
const drawn = (el, part) => (/^"(.*)"$/.exec(getComputedStyle(el, part).content) || [])[1] || '';
function shownBeside(el, name) {
  const said = tidy([drawn(el, '::before'), content(el), drawn(el, '::after')].join(' ')), words = letters(said);
  return /\p{L}{2}/u.test(words) && !` ${letters(name)} `.includes(` ${words} `) ? said : '';
}
/* [name, where it came from]; the first that says anything. */
function nameOf(el, role) {
  /* What a field unfolds has the field's label, and is no second field of that name. */
  if (role === 'listbox' && el.id && rootOf(el).querySelector(`[role=combobox][aria-controls="${CSS.escape(el.id)}"]`)) return ['', ''];
  const field = FIELDS.has(role);
  const ways = [
    ['label', () => labelled(el)],
    ['title', () => tidy(attr(el, 'aria-label'))],
    ['content', () => (field && el.matches('input,select,textarea,[contenteditable]') ? '' : content(el))],
    ['title', () => titled(el)],
    ['placeholder', () => tidy(attr(el, 'placeholder') || attr(el, 'data-placeholder') || attr(el, 'aria-placeholder'))],
    ['nearby', () => (field || el.type === 'file' ? beside(el, role) : '')],
    ['class', () => tokens(el)],
    ['image', () => pictured(el)],
  ];
  for (const [source, way] of ways) {
    const name = way();
    if (name && !(source === 'content' && !/[\p{L}\p{N}]/u.test(name) && titled(el))) return [name, source];
  }
  return ['', null];
}
