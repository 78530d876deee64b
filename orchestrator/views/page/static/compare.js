// Two runs beside each other, with the first difference marked.

import {cut, el, fill, plural} from './dom.js';
import {SIGNS, roleClass} from './run.js';
import {figure} from './screen.js';
import {Virtual} from './virtual.js';

export class Compare {
  constructor(host, runs, told, {open}) {
    Object.assign(this, {runs, open, pairs: told.pairs, different: told.different, unlike: new Set(told.different)});
    this.at = told.different[0] ?? 0;
    const first = told.different.length ? el('button', {type: 'button', onclick: () => this.choose(this.different[0])}, 'First difference') : null;
    const next = told.different.length > 1 ? el('button', {type: 'button', onclick: () => this.nextDifference()}, 'Next difference') : null;
    this.scroller = el('div', {class: 'pairs', tabindex: '0', role: 'listbox', 'aria-label': 'Lines of both runs', onkeydown: (event) => this.key(event)});
    this.screens = el('div', {class: 'beside'});
    host.append(el('div', {class: 'compare'},
      el('div', {class: 'bar'}, el('p', {}, told.different.length ? `${plural(told.different.length, 'line')} of ${told.pairs.length} differ.` : 'Both runs did the same, line by line.'), first, next),
      el('div', {class: 'heads'}, runs.map((run) => el('div', {}, el('b', {}, run.head.run_id), ` ${run.head.status.replaceAll('_', ' ')}`, el('p', {class: 'quiet'}, cut(run.head.goal, 160))))),
      this.scroller, this.screens));
    this.list = new Virtual(this.scroller, {size: 30, draw: (pair, place) => this.row(pair, place)});
    this.list.set(this.pairs);
  }

  row(pair, place) {
    const unlike = this.unlike.has(place), first = place === this.different[0];
    const side = (at, run) => {
      const item = at === null ? null : run.items[at];
      return item ? el('span', {class: `side role-${roleClass(item.role)} is-${item.status}`}, el('span', {class: `sign ${item.status}`, 'aria-hidden': 'true'}, item.kind === 'gate' ? '◆' : SIGNS[item.status]),
        el('span', {class: 'number'}, item.kind === 'step' ? String(item.step) : ''), el('span', {class: 'words', title: cut(item.why || item.line, 300)}, cut(item.line, 200), item.why && unlike ? ` → ${cut(item.why, 120)}` : '')) : el('span', {class: 'side none'}, '—');
    };
    return el('div', {id: `pair-${place}`, role: 'option', 'aria-selected': String(place === this.at), class: `pair${unlike ? ' unlike' : ''}${first ? ' first' : ''}${place === this.at ? ' current' : ''}`, onclick: () => this.choose(place)},
      side(pair[0], this.runs[0]), el('span', {class: 'between', 'aria-label': first ? 'the first difference' : unlike ? 'differs' : 'the same'}, unlike ? '≠' : '=', first ? el('span', {class: 'word'}, ' first') : null), side(pair[1], this.runs[1]));
  }

  async choose(place) {
    this.at = Math.max(0, Math.min(this.pairs.length - 1, place));
    this.list.reveal(this.at);
    this.list.again();
    this.scroller.setAttribute('aria-activedescendant', `pair-${this.at}`);
    const ask = this.ask = {};
    const sides = await Promise.all(this.pairs[this.at].map(async (at, side) => {
      const run = this.runs[side], item = at === null ? null : run.items[at];
      if (!item) return el('div', {}, el('p', {class: 'quiet'}, 'This run has no such line.'));
      return el('div', {}, el('p', {}, el('b', {}, cut(item.line, 300)), item.why ? ` → ${cut(item.why, 300)}` : ''),
        el('button', {type: 'button', onclick: () => this.open(run, item.index)}, `Open in run ${side ? 'B' : 'A'}`), await figure(run, item.before || item.after, {words: 'Before', item}));
    }));
    if (this.ask === ask) fill(this.screens, sides);
  }

  nextDifference(back = false) {
    const found = back ? this.different.findLast((at) => at < this.at) : this.different.find((at) => at > this.at);
    if (found !== undefined) this.choose(found);
  }

  step(by) { this.choose(this.at + by); }

  key(event) {
    const by = {ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity}[event.key];
    if (by === undefined) return;
    this.step(Number.isFinite(by) ? by : by > 0 ? this.pairs.length : -this.pairs.length);
    event.preventDefault();
  }
}
