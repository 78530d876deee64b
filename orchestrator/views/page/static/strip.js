// The film strip: the whole run in one line, coloured by role, and small screens of what is in sight.

import {cut, el} from './dom.js';
import {SIGNS, roleClass} from './run.js';
import {near, sketch} from './screen.js';
import {Virtual} from './virtual.js';

const CELL = 104;

export class Strip {
  constructor(host, {choose, range}) {
    this.choose = choose;
    this.range = range;
    this.line = el('canvas', {class: 'overview', 'aria-hidden': 'true', title: 'Click to go there; drag to keep to a part'});
    this.scroller = el('div', {class: 'film', tabindex: '0', 'aria-label': 'Small screens, one a line', role: 'group'});
    host.append(this.line, this.scroller);
    this.cells = new Virtual(this.scroller, {size: CELL, lying: true, draw: (index) => this.cell(index)});
    this.line.addEventListener('pointerdown', (event) => this.press(event));
    new ResizeObserver(() => this.paint()).observe(this.line);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { this.paint(); this.cells.again(); });
  }

  show(run, indices) {
    this.run = run;
    this.indices = indices;
    this.kept = new Set(indices);
    this.cells.set(indices);
    this.paint();
  }

  select(index) {
    const before = this.at;
    this.at = index;
    const place = this.indices.indexOf(index);
    if (place >= 0) this.cells.reveal(place);
    for (const [at, node] of this.cells.nodes) node.classList.toggle('current', this.indices[at] === index);
    if (before !== index) this.paint();
  }

  cell(index) {
    const item = this.run.items[index], id = near(this.run, item).find(Boolean);
    const canvas = el('canvas', {width: '96', height: '60', 'aria-hidden': 'true'});
    const cell = el('div', {
      class: `cell role-${roleClass(item.role)} is-${item.status}${index === this.at ? ' current' : ''}`, title: cut(item.line, 300),
      onclick: () => this.choose(index),
    }, canvas, el('span', {class: `tag ${item.status}`, 'aria-hidden': 'true'}, item.kind === 'gate' ? '◆' : item.step && item.kind === 'step' ? String(item.step) : SIGNS[item.status]));
    if (id) this.picture(cell, canvas, id, item);
    return cell;
  }

  async picture(cell, canvas, id, item) {
    const url = await this.run.picture(id).catch(() => '');
    if (!cell.isConnected && !this.cells.nodes.size) return;
    const screen = await this.run.screen(id);
    if (url) {
      const image = el('img', {});
      image.alt = '';
      image.src = url;
      canvas.replaceWith(image);
    } else if (screen) sketch(canvas, screen, Math.min(96, 60 * screen.size[0] / screen.size[1]));
    if (item.point && item.before === id && screen) {
      const dot = el('span', {class: 'spot'});
      const wide = url ? 96 : canvas.width, left = (96 - wide) / 2;
      dot.style.left = `${3 + left + wide * item.point[0] / screen.size[0]}px`;
      dot.style.top = `${3 + 60 * item.point[1] / screen.size[1]}px`;
      cell.append(dot);
    }
  }

  paint() {
    if (!this.run) return;
    const {line, run} = this, wide = line.clientWidth, style = getComputedStyle(document.documentElement);
    if (!wide) return;
    const sharp = devicePixelRatio || 1, all = run.items.length;
    line.width = wide * sharp;
    line.height = 22 * sharp;
    const pen = line.getContext('2d');
    pen.scale(sharp, sharp);
    const colour = (name) => style.getPropertyValue(`--${name}`).trim();
    const each = wide / all, step = Math.max(1, Math.floor(all / (wide * 2)));
    for (let at = 0; at < all; at += step) {
      const item = run.items[at];
      pen.globalAlpha = this.kept.has(at) ? 1 : 0.25;
      pen.fillStyle = colour(`role-${roleClass(item.role)}`);
      pen.fillRect(at * each, 6, Math.max(each * step - (each > 4 ? 1 : 0), 0.7), 10);
    }
    pen.globalAlpha = 1;
    for (const item of run.items) {
      if (item.status === 'failed') { pen.fillStyle = colour('bad'); pen.fillRect(item.index * each, 1, Math.max(each - 1, 2), 20); }
      else if (item.kind === 'gate' && each > 2) { pen.fillStyle = colour('ink'); diamond(pen, (item.index + 0.5) * each, 11, 4); }
    }
    if (this.at !== undefined) {
      pen.strokeStyle = colour('ink');
      pen.lineWidth = 2;
      pen.strokeRect(this.at * each - 1, 2, Math.max(each + 1, 4), 18);
    }
  }

  press(event) {
    const box = this.line.getBoundingClientRect();
    const where = (one) => Math.max(0, Math.min(this.run.items.length - 1, Math.floor((one.clientX - box.left) / box.width * this.run.items.length)));
    const from = where(event), began = event.clientX;
    this.line.setPointerCapture(event.pointerId);
    this.line.addEventListener('pointerup', (end) => {
      if (Math.abs(end.clientX - began) < 6) this.choose(from);
      else this.range(Math.min(from, where(end)), Math.max(from, where(end)));
    }, {once: true});
  }
}

function diamond(pen, x, y, r) {
  pen.beginPath();
  pen.moveTo(x, y - r); pen.lineTo(x + r, y); pen.lineTo(x, y + r); pen.lineTo(x - r, y);
  pen.fill();
}
