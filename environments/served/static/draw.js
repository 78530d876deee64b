// Makes the page look as the server says, and keeps nodes: what is the same thing stays the same node, with focus and caret.

export const screen = {head: {}, panes: [], controls: new Map(), order: []};
const nodes = new Map();  // track id -> {el, slot, near}: the control, what stands at its box, and its name
const frames = new Map();  // pane id -> {root, view, canvas}
export const drafts = new Map();  // track id -> true, while somebody writes into that field and the server has not heard

const desk = document.getElementById('desk');
const make = (tag, part) => {
  const el = document.createElement(tag);
  if (part) el.dataset.part = part;
  return el;
};
const put = (el, name, value) => { if (el.dataset[name] !== value) value ? (el.dataset[name] = value) : delete el.dataset[name]; };
const place = (el, [left, top, width, height]) => {
  const style = el.style;
  for (const [name, px] of [['left', left], ['top', top], ['width', width], ['height', height]])
    if (style[name] !== `${px}px`) style[name] = `${px}px`;
};

export const controlOf = (node) => {
  for (let el = node; el && el !== desk; el = el.parentElement) {
    const track = el.id || el.dataset.of;
    if (track && screen.controls.has(track)) return track;
  }
  return null;
};
export const nodeOf = (track) => nodes.get(track)?.el;

export function draw(event) {
  if (event.whole) {
    screen.controls.clear();
    drafts.clear();
  }
  if (event.head) head(event.head);
  if (event.panes) panes(event.panes);
  if (event.order) {
    screen.order = event.order;
    const kept = new Set(event.order);
    for (const track of [...screen.controls.keys()]) if (!kept.has(track)) screen.controls.delete(track);
  }
  for (const [track, made] of Object.entries(event.controls || {})) screen.controls.set(track, made);
  const gone = [...nodes.keys()].filter((track) => !screen.controls.has(track));
  for (const track of gone) remove(track);
  for (const track of Object.keys(event.controls || {})) control(track);
  if (event.order) arrange();
  scrolled();
}

function head(next) {
  screen.head = next;
  const root = document.documentElement;
  root.lang = next.language;
  root.dataset.theme = next.theme;
  root.dataset.form = next.form;
  document.title = `${next.world} - deskcrew`;
  place(desk, [0, 0, ...next.size]);
  dispatchEvent(new Event('deskcrew-head'));
}

function panes(next) {
  screen.panes = next;
  const kept = new Set(next.map((pane) => pane.id));
  for (const [id, frame] of frames) if (!kept.has(id)) { frame.root.remove(); frames.delete(id); }
  next.forEach((pane, depth) => {
    const frame = frames.get(pane.id) || frames.set(pane.id, framed(pane)).get(pane.id);
    place(frame.root, pane.box);
    frame.root.style.zIndex = String(depth + 1);
    const [left, top, width, height] = pane.view;
    place(frame.view, [left - pane.box[0], top - pane.box[1], width, height]);
    frame.canvas.style.height = `${Math.max(pane.tall, pane.kind === 'window' ? height : 0)}px`;
    put(frame.root, 'front', pane.front ? 'yes' : '');
    put(frame.root, 'busy', pane.busy ? 'yes' : '');
    if (pane.busy) frame.view.setAttribute('aria-busy', 'true'); else frame.view.removeAttribute('aria-busy');
  });
}

function framed(pane) {
  const root = make(pane.kind === 'window' ? 'section' : 'div', pane.kind);
  const view = make('div', 'view'), canvas = make('div', 'canvas');
  root.dataset.pane = pane.id;
  view.append(canvas);
  if (pane.kind === 'window') {
    root.setAttribute('aria-label', pane.title);
    const bar = make('header', 'title');
    bar.dataset.title = pane.title;
    bar.dataset.letter = pane.title[0];
    for (const [what, word] of [['down', 'Put away'], ['up', 'Enlarge'], ['close', 'Close']]) {
      const button = make('button', 'window-button');
      button.type = 'button';
      button.dataset.window = what;
      button.dataset.app = pane.app;
      button.setAttribute('aria-label', `${word} ${pane.title}`);
      bar.append(button);
    }
    root.append(bar);
  }
  root.append(view);
  desk.append(root);
  return {root, view, canvas};
}

function remove(track) {
  const {slot, el} = nodes.get(track);
  // What stood in it may go on elsewhere.
  if (el === document.activeElement) el.blur();
  slot.remove();
  nodes.delete(track);
  drafts.delete(track);
}

function fresh(track, made) {
  const el = document.createElement(made.tag);
  if (made.type) el.type = made.type;
  el.id = track;
  if (!made.field) return {el, slot: el, near: null, shape: shapeOf(made)};
  const slot = make('span', 'field'), near = document.createElement(made.bound && made.label ? 'label' : 'span');
  slot.dataset.of = track;
  if (near.localName === 'label') near.htmlFor = track;
  slot.append(near, el);
  return {el, slot, near, shape: shapeOf(made)};
}
const shapeOf = (made) => [made.tag, made.type, made.field, Boolean(made.bound && made.label)].join();

function control(track) {
  const made = screen.controls.get(track);
  let node = nodes.get(track);
  if (node && node.shape !== shapeOf(made)) {
    const next = fresh(track, made);
    for (const child of [...node.el.children]) if (screen.controls.has(child.id || child.dataset.of)) next.el.append(child);
    node.slot.replaceWith(next.slot);
    nodes.set(track, next);
    node = next;
  }
  if (!node) {
    node = fresh(track, made);
    nodes.set(track, node);
  }
  const home = nodes.get(made.up)?.el || frames.get(made.up)?.canvas;
  if (home && node.slot.parentNode !== home) home.append(node.slot);
  looks(node, made);
  if (made.field) sync(track); else words(node.el, made);
}

const OWN = ['id', 'type', 'style', 'data-part', 'for'];
function looks({el, slot, near}, made) {
  place(slot, made.box);
  slot.style.zIndex = made.lift ? String(made.lift) : '';
  const wanted = made.attrs || {};
  for (const name of el.getAttributeNames())
    if (!(name in wanted) && !OWN.includes(name) && !name.startsWith('data-')) el.removeAttribute(name);
  for (const [name, value] of Object.entries(wanted)) if (el.getAttribute(name) !== value) el.setAttribute(name, value);
  for (const target of new Set([el, slot])) {
    put(target, 'kind', made.kind);
    put(target, 'main', made.main ? 'yes' : '');
    put(target, 'lift', made.lift ? 'yes' : '');
  }
  put(slot, 'hint', made.hint && !made.value ? made.hint : '');
  for (const trait of ['opens', 'hovers', 'swipes', 'drop', 'floats'])
    put(el, trait, (made.traits || []).includes(trait) ? 'yes' : '');
  if (near && near.textContent !== (made.label || '')) near.textContent = made.label || '';
}

function words(el, made) {
  const text = made.text || '';
  let own = el.firstChild && el.firstChild.nodeType === 3 ? el.firstChild : null;
  if (!own && text) {
    own = document.createTextNode('');
    el.prepend(own);
  }
  if (own && own.data !== text) own.data = text;
}

// Makes a field hold what the world says, unless somebody is writing into it.
export function sync(track) {
  const made = screen.controls.get(track), el = nodeOf(track);
  if (!made || !el || !made.field || drafts.has(track)) return;
  if (made.type === 'checkbox') {
    el.checked = Boolean(made.checked);
  } else if (made.tag === 'select') {
    options(el, made);
  } else if (el.value !== (made.value || '')) {
    const active = el === document.activeElement && typeof el.selectionStart === 'number';
    const [from, to] = active ? [el.selectionStart, el.selectionEnd] : [0, 0];
    el.value = made.value || '';
    if (active) el.setSelectionRange(Math.min(from, el.value.length), Math.min(to, el.value.length));
  }
}

function options(el, made) {
  const list = made.options || [], value = made.value || '';
  const wanted = list.includes(value) ? list : [value, ...list];
  if (el.options.length !== wanted.length || wanted.some((text, at) => el.options[at].label !== text)) {
    el.replaceChildren(...wanted.map((text) => new Option(text, text)));
    if (wanted !== list) el.options[0].hidden = true;
  }
  el.selectedIndex = wanted.indexOf(value);
}

// Nodes in reading order, each in what it stands in. Only what is out of place is moved.
function arrange() {
  const next = new Map();  // parent -> the child that should come next
  const active = document.activeElement;
  for (const track of screen.order) {
    const made = screen.controls.get(track), slot = nodes.get(track).slot;
    const home = nodes.get(made.up)?.el || frames.get(made.up)?.canvas;
    if (!home) continue;
    let here = next.has(home) ? next.get(home) : [...home.children].find((el) => nodes.get(el.id || el.dataset.of)) || null;
    if (here !== slot) home.insertBefore(slot, here); else here = here.nextElementSibling;
    next.set(home, here);
  }
  if (active && active !== document.activeElement && active.isConnected) active.focus({preventScroll: true});
}

// Windows stand where the world has scrolled them to.
export function scrolled() {
  for (const pane of screen.panes) {
    const view = frames.get(pane.id).view;
    if (pane.kind === 'window' && Math.abs(view.scrollTop - pane.scroll) >= 1) view.scrollTop = pane.scroll;
  }
}
export const paneOf = (view) => screen.panes.find((pane) => frames.get(pane.id).view === view);
