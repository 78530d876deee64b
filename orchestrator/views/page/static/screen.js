// A screen: its picture where there is one, else drawn from its elements; the target and the click are marked on top.

import {el, fill, shown, svg} from './dom.js';

const FRAMES = new Set(['button', 'textbox', 'searchbox', 'combobox', 'spinbutton', 'slider', 'listbox', 'menu', 'dialog', 'alertdialog', 'table', 'grid', 'tree', 'list', 'alert', 'status', 'tooltip', 'progress', 'progressbar', 'image', 'img', 'checkbox', 'radio', 'switch', 'tab', 'option', 'menuitem']);
const FIELDS = new Set(['textbox', 'searchbox', 'combobox', 'spinbutton', 'slider']);
const SILENT = new Set(['group', 'form', 'table', 'grid', 'list', 'tree', 'dialog', 'alertdialog', 'listbox', 'menu', 'tablist', 'region', 'row', 'listitem', 'navigation', 'main', 'article']);
const DISABLED = 1, FOCUSED = 2, SELECTED = 4, INVALID = 8;

const colours = () => {
  const style = getComputedStyle(document.documentElement);
  return (name) => style.getPropertyValue(`--${name}`).trim();
};

// Draws the elements onto a canvas `wide` pixels across.
export function sketch(canvas, screen, wide) {
  const [width, height] = screen.size, scale = wide / width, colour = colours();
  canvas.width = Math.round(wide);
  canvas.height = Math.round(height * scale);
  const pen = canvas.getContext('2d');
  pen.scale(scale, scale);
  pen.fillStyle = colour('paper');
  pen.fillRect(0, 0, width, height);
  pen.textBaseline = 'middle';
  for (const element of screen.elements) draw(pen, element, colour, scale);
}

function draw(pen, [x1, y1, x2, y2, role, text, value, flags], colour, scale) {
  const wide = x2 - x1, high = y2 - y1;
  if (FRAMES.has(role)) {
    pen.fillStyle = colour(role === 'alert' ? 'bad-soft' : role === 'status' ? 'good-soft' : flags & SELECTED ? 'soft' : role === 'button' || role === 'tab' ? 'raised' : 'surface');
    pen.strokeStyle = colour(flags & INVALID ? 'bad' : flags & FOCUSED ? 'accent' : 'line');
    pen.lineWidth = flags & (FOCUSED | INVALID) ? 2 : 1;
    pen.beginPath();
    pen.roundRect(x1 + 0.5, y1 + 0.5, wide - 1, high - 1, 5);
    pen.fill();
    pen.stroke();
  } else if (flags & SELECTED) {
    pen.fillStyle = colour('soft');
    pen.fillRect(x1, y1, wide, high);
  }
  if (scale < 0.2 || SILENT.has(role)) {
    if (scale < 0.2 && !SILENT.has(role) && text) bar(pen, x1, y1, wide, high, text, role, colour);
    return;
  }
  words(pen, x1, y1, wide, high, role, text, value, flags, colour);
}

// In a thumbnail a text is a stroke.
function bar(pen, x, y, wide, high, text, role, colour) {
  pen.fillStyle = colour(role === 'link' ? 'accent' : role === 'heading' ? 'ink' : 'faint');
  pen.fillRect(x + 4, y + high * 0.3, Math.min(wide - 8, text.length * 8), Math.max(6, high * 0.3));
}

function words(pen, x, y, wide, high, role, text, value, flags, colour) {
  pen.save();
  pen.beginPath();
  pen.rect(x, y, wide, high);
  pen.clip();
  pen.direction = 'ltr';
  const size = role === 'heading' ? Math.min(20, high * 0.62) : Math.min(15, Math.max(9, high * 0.52));
  pen.fillStyle = colour(flags & DISABLED ? 'faint' : role === 'link' ? 'accent' : role === 'alert' ? 'bad' : 'ink');
  pen.font = `${role === 'heading' || role === 'columnheader' ? '600 ' : ''}${size}px system-ui, sans-serif`;
  const clean = (said) => shown(said).replace(/\s+/g, ' ');
  const middle = y + Math.min(high / 2, size);
  // A name that is wider than its box is written smaller before it is cut off.
  const put = (said, left, top) => {
    const room = wide - (left - x) - 2, needs = pen.measureText(said).width;
    if (needs > room && needs < room * 1.6) pen.font = pen.font.replace(/[\d.]+px/, (now) => `${parseFloat(now) * room / needs}px`);
    pen.fillText(said, left, top);
  };
  if (FIELDS.has(role)) {
    pen.fillStyle = colour('muted');
    pen.font = `${Math.min(11, high * 0.34)}px system-ui, sans-serif`;
    put(clean(text), x + 8, y + Math.min(9, high * 0.26));
    pen.fillStyle = colour('ink');
    pen.font = `${Math.min(15, high * 0.44)}px system-ui, sans-serif`;
    put(clean(value), x + 10, y + (high > 60 ? 30 : high * 0.66));
  } else if (role === 'checkbox' || role === 'radio' || role === 'switch') {
    pen.fillText(`${value === 'true' ? '☑' : '☐'} ${clean(text)}`, x + 6, middle);
  } else if (role === 'button' || role === 'tab') {
    pen.textAlign = 'center';
    pen.fillText(clean(text), x + wide / 2, y + high / 2, Math.max(4, wide - 6));
  } else {
    put(clean(value && value !== 'true' && value !== 'false' && value !== text ? `${text} ${value}` : text), x + (role === 'text' || role === 'heading' || role === 'link' ? 2 : 8), high > 2 * size + 8 ? y + size : y + high / 2);
  }
  pen.restore();
}

// Boxes of what the second screen shows and the first did not.
export function changes(before, after) {
  if (!before || !after) return [];
  const had = new Set(before.elements.map((element) => JSON.stringify(element)));
  return after.elements.filter((element) => !SILENT.has(element[4]) && !had.has(JSON.stringify(element))).map((element) => element.slice(0, 4));
}

function marks(size, item, changed) {
  const overlay = svg('svg', {class: 'marks', viewBox: `0 0 ${size[0]} ${size[1]}`, preserveAspectRatio: 'none', 'aria-hidden': 'true'});
  for (const [x1, y1, x2, y2] of changed.slice(0, 300)) {
    overlay.append(svg('rect', {class: 'changed', x: x1, y: y1, width: x2 - x1, height: y2 - y1, rx: 4}));
  }
  if (item?.box) {
    const [x1, y1, x2, y2] = item.box;
    overlay.append(svg('rect', {class: 'target', x: x1 - 3, y: y1 - 3, width: x2 - x1 + 6, height: y2 - y1 + 6, rx: 6}));
  }
  if (item?.point) {
    const [cx, cy] = item.point;
    overlay.append(svg('circle', {class: 'ring halo', cx, cy, r: 17}), svg('circle', {class: 'ring', cx, cy, r: 17}), svg('circle', {class: 'dot', cx, cy, r: 4}));
  }
  return overlay;
}

// One screen with its marks. `words` says what it is.
export async function figure(run, id, {words, item = null, changed = []}) {
  const screen = id ? await run.screen(id) : null;
  const url = id ? await run.picture(id).catch(() => '') : '';
  const label = `${words}${screen?.app ? ` in ${screen.app}` : ''}${item?.line ? `: ${item.line}` : ''}`;
  if (!screen && !url) return el('figure', {class: 'screen none'}, el('p', {}, id ? 'This screen was not recorded, or could not be read.' : 'There is no screen here.'));
  const size = screen?.size || [1280, 800];
  const frame = el('div', {class: 'frame', role: 'img', 'aria-label': label});
  frame.style.aspectRatio = `${size[0]} / ${size[1]}`;
  frame.style.setProperty('--ratio', String(size[0] / size[1]));
  const drawn = () => {
    const canvas = el('canvas', {'aria-hidden': 'true'});
    const wide = Math.min(size[0], 1600);
    if (screen) sketch(canvas, screen, wide);
    return canvas;
  };
  if (url) {
    const image = el('img', {});
    image.alt = '';
    image.addEventListener('error', () => image.replaceWith(drawn()), {once: true});
    image.src = url;
    frame.append(image);
  } else frame.append(drawn());
  frame.append(marks(size, item, changed));
  return el('figure', {class: 'screen'}, frame, el('figcaption', {}, words, screen?.app ? ` · ${screen.app}` : '', url ? '' : ' · drawn from its elements'));
}

// Before, after, or both beside each other, for one item.
export class Stage {
  constructor(host) {
    this.mode = 'before';
    this.buttons = new Map(['before', 'after', 'both'].map((mode) => [mode, el('button', {
      type: 'button', 'aria-pressed': 'false', onclick: () => { this.mode = mode; this.live = false; this.draw(); },
    }, mode[0].toUpperCase() + mode.slice(1))]));
    this.place = el('div', {class: 'figures'});
    host.append(el('div', {class: 'bar', role: 'group', 'aria-label': 'Which screen'}, [...this.buttons.values()]), this.place);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.draw());
  }

  // `live` shows the newest screen instead, with the marks of the item on it.
  show(run, item, live = false) { Object.assign(this, {run, item, live}); return this.draw(); }

  turn() {
    const order = ['before', 'after', 'both'];
    this.mode = order[(order.indexOf(this.mode) + 1) % order.length];
    this.live = false;
    return this.draw();
  }

  async draw() {
    const {run, item} = this, ask = {};
    if (!item) return;
    this.ask = ask;
    const [before, after] = near(run, item);
    const mode = this.live ? 'live' : this.mode === 'both' && before && after ? 'both' : this.mode === 'after' && after ? 'after' : before ? 'before' : 'after';
    for (const [name, button] of this.buttons) {
      button.setAttribute('aria-pressed', String(name === mode));
      button.disabled = name === 'both' ? !(before && after) : !(name === 'before' ? before : after);
    }
    const parts = [];
    if (mode === 'live') parts.push(await figure(run, after || before, {words: 'Now', item}));
    else if (mode !== 'after') parts.push(await figure(run, before, {words: item.before ? 'Before' : 'The screen at that time', item}));
    if (mode === 'after' || mode === 'both') {
      const changed = before !== after ? changes(await run.screen(before), await run.screen(after)) : [];
      parts.push(await figure(run, after, {words: before === after ? 'After: nothing changed' : 'After', changed}));
    }
    if (this.ask !== ask) return;
    this.place.className = `figures ${mode}`;
    fill(this.place, parts);
    await Promise.all([...this.place.querySelectorAll('img')].map((image) => image.decode().catch(() => {})));
    performance.mark('drawn');
  }
}

// The screens of an item; one without any stands before the last one that was seen.
export function near(run, item) {
  if (item.before || item.after) return [item.before, item.after];
  for (let at = item.index - 1; at >= 0; at--) if (run.items[at].after || run.items[at].before) return [run.items[at].after || run.items[at].before, ''];
  for (let at = item.index + 1; at < run.items.length; at++) if (run.items[at].before) return [run.items[at].before, ''];
  return ['', ''];
}
