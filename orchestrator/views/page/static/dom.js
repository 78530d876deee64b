// Makes elements out of text nodes alone: whatever a screen or a model said can do nothing here.

const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ue000-\uf8ff]|\p{Cs}|[\u{e0000}-\u{e0fff}]/gu;
const PILED = /(\p{M}{4})\p{M}+/gu;

// Text as it may be shown: what would turn the writing, hide something or cannot be seen becomes a sign for itself.
export const shown = (text) => String(text ?? '').replace(HIDDEN, '\ufffd').replace(PILED, '$1');
export const cut = (text, most) => { const said = shown(text); return said.length > most ? `${said.slice(0, most - 1)}…` : said; };

const SVG = 'http://www.w3.org/2000/svg';
const ATTRIBUTES = new Set([
  'class', 'id', 'role', 'type', 'for', 'title', 'tabindex', 'href', 'hidden', 'open', 'disabled', 'value', 'placeholder', 'scope',
  'x', 'y', 'x1', 'y1', 'x2', 'y2', 'cx', 'cy', 'r', 'rx', 'd', 'width', 'height', 'viewBox', 'text-anchor', 'marker-end', 'refX',
  'refY', 'markerWidth', 'markerHeight', 'orient', 'preserveAspectRatio', 'colspan', 'name', 'rows', 'min', 'max', 'maxlength', 'autocomplete', 'spellcheck', 'required', 'rel', 'target',
]);

function made(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (name === 'style') for (const [key, one] of Object.entries(value)) node.style.setProperty(key, one);
    else if (name.startsWith('aria-') || name.startsWith('data-') || ATTRIBUTES.has(name)) {
      node.setAttribute(name, value === true ? '' : shown(value));
    } else throw new Error(`no attribute ${name}`);
  }
  node.append(...children.flat(9).filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (child instanceof Node ? child : document.createTextNode(shown(child)))));
  return node;
}
export const el = (tag, attributes, ...children) => made(document.createElement(tag), attributes, children);
export const svg = (tag, attributes, ...children) => made(document.createElementNS(SVG, tag), attributes, children);
export const fill = (host, ...children) => { host.replaceChildren(...children.flat(9).filter(Boolean)); return host; };

// For those who listen to the page.
export function say(text) { document.getElementById('said').textContent = shown(text); }

// A page's own place, below a heading.
export function place(title, {aside = null, wide = false} = {}) {
  const body = el('main', {id: 'main', class: `page${wide ? ' wide-page' : ''}`, tabindex: '-1'});
  body.append(el('div', {class: 'page-head'}, el('h1', {}, title), aside));
  document.getElementById('said').before(body);
  return body;
}

export const seconds = (value) => {
  if (!(value > 0)) return '0 s';
  if (value < 1) return `${Math.round(value * 1000)} ms`;
  if (value < 100) return `${value.toFixed(value < 10 ? 1 : 0)} s`;
  const minutes = Math.floor(value / 60);
  return minutes < 100 ? `${minutes} min ${Math.round(value % 60)} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
};
export const count = (value) => Number(value || 0).toLocaleString('en');
export const capital = (word) => word.charAt(0).toUpperCase() + word.slice(1);
export const plural = (number, word) => `${count(number)} ${word}${number === 1 ? '' : 's'}`;
