// Controller › role › step, as a tree of which only what is in sight is drawn.

import {capital, cut, el, plural, seconds} from './dom.js';
import {SIGNS, STATUS_WORDS, roleClass, turnsOf} from './run.js';
import {Virtual} from './virtual.js';

const ROW = 30;

export class Tree {
  constructor(host, {choose}) {
    this.host = host;
    this.choose = choose;
    this.closed = new Set();
    this.scroller = el('div', {class: 'tree', role: 'tree', tabindex: '0', 'aria-label': 'Steps by role', onkeydown: (e) => this.key(e)});
    host.append(this.scroller);
    this.list = new Virtual(this.scroller, {size: ROW, draw: (row, place) => this.row(row, place)});
  }

  show(run, indices) {
    if (this.run !== run) this.closed.clear();
    this.run = run;
    this.turns = turnsOf(run);
    this.indices = indices;
    this.arrange();
  }

  arrange() {
    const rows = [{level: 1}];
    let at = 0;
    this.turns.forEach((turn, number) => {
      const inside = [];
      while (at < this.indices.length && this.indices[at] <= turn.to) { inside.push(this.indices[at]); at += 1; }
      if (!inside.length) return;
      rows.push({level: 2, turn, number, inside: inside.length});
      if (!this.closed.has(number)) for (const index of inside) rows.push({level: 3, index, number});
    });
    this.places = new Map(rows.map((row, place) => [row.index, place]).filter(([index]) => index !== undefined));
    this.list.set(rows);
  }

  select(index) {
    if (!this.places.has(index)) {
      const number = this.turns.findIndex((turn) => turn.from <= index && index <= turn.to);
      if (this.closed.delete(number)) this.arrange();
    }
    this.at = index;
    const place = this.places.get(index);
    if (place === undefined) { this.scroller.removeAttribute('aria-activedescendant'); this.list.again(); return; }
    this.list.reveal(place);
    this.list.again();
    this.scroller.setAttribute('aria-activedescendant', `row-${place}`);
  }

  row(row, place) {
    const inner = row.level === 1 ? this.top() : row.level === 2 ? this.turn(row) : this.item(row);
    inner.id = `row-${place}`;
    inner.setAttribute('role', 'treeitem');
    inner.setAttribute('aria-level', row.level);
    return inner;
  }

  top() {
    const {head} = this.run;
    return el('div', {class: 'row top role-controller', 'aria-expanded': 'true', 'aria-selected': 'false', title: cut(head.goal, 500)},
      el('span', {class: 'swatch'}), el('span', {class: 'words'}, 'Controller · ', head.status.replaceAll('_', ' ')),
      el('span', {class: 'aside'}, plural(this.run.items.length, 'line')));
  }

  turn({turn, number, inside}) {
    const open = !this.closed.has(number);
    const what = turn.subtask ? ` · ${this.run.title(turn.subtask)}${turn.attempt > 1 ? ` (attempt ${turn.attempt})` : ''}` : '';
    return el('div', {
      class: `row turn role-${roleClass(turn.role)}`, 'aria-expanded': String(open), 'aria-selected': 'false', title: cut(what.slice(3), 300),
      onclick: () => { if (open) this.closed.add(number); else this.closed.delete(number); this.arrange(); },
    }, el('span', {class: 'fold', 'aria-hidden': 'true'}, open ? '▾' : '▸'), el('span', {class: 'swatch'}),
    el('span', {class: 'words'}, el('b', {}, capital(turn.role)), cut(what, 200)),
    turn.failed ? el('span', {class: 'sign failed', 'aria-label': `${turn.failed} failed`}, `✗${turn.failed}`) : null,
    el('span', {class: 'aside'}, String(inside)));
  }

  item({index}) {
    const item = this.run.items[index];
    const said = item.why && item.kind !== 'approval' ? `${item.line} → ${item.why}` : item.line;
    return el('div', {
      class: `row item role-${roleClass(item.role)} is-${item.status} kind-${item.kind}${index === this.at ? ' current' : ''}`,
      'aria-selected': String(index === this.at), title: cut(said, 400), onclick: () => this.choose(index),
    }, el('span', {class: `sign ${item.status}`, 'aria-hidden': 'true'}, item.kind === 'gate' ? '◆' : SIGNS[item.status] || '·'),
    el('span', {class: 'number'}, item.step && item.kind === 'step' ? String(item.step) : ''),
    el('span', {class: 'words'}, item.kind === 'approval' ? 'asks: ' : '', cut(item.line, 200)),
    el('span', {class: 'hidden-but-read'}, STATUS_WORDS[item.status] || ''),
    el('span', {class: 'aside'}, item.seconds >= 0.05 ? seconds(item.seconds) : ''));
  }

  key(event) {
    const here = this.indices.indexOf(this.at);
    const go = {ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: this.indices.length - 1}[event.key];
    if (go !== undefined && this.indices[go] !== undefined) this.choose(this.indices[go]);
    else if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') {
      const number = this.turns.findIndex((turn) => turn.from <= this.at && this.at <= turn.to);
      if (event.key === 'ArrowLeft') this.closed.add(number); else this.closed.delete(number);
      this.arrange();
      if (event.key === 'ArrowRight') this.select(this.at);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
