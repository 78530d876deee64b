// The top of the page: what the run was for, how it ended, what is missing, search and filters.

import {count, cut, el, fill, plural, seconds} from './dom.js';

const TONES = {fulfilled: 'ok', rejected: 'failed', cancelled: 'failed', damaged: 'failed'};

// What of the record could not be read.
export const missing = ({notes}) => (notes.length ? el('details', {class: 'missing', open: notes.length < 3}, el('summary', {}, `${plural(notes.length, 'thing')} to know about this record`), el('ul', {}, notes.map((note) => el('li', {}, note)))) : null);

export function headLine(host, run, {compare, help, runs, pick}) {
  const {head} = run, steps = run.items.filter((item) => item.kind === 'step').length, failed = run.items.filter((item) => item.status === 'failed').length;
  const tokens = Object.values(run.roles).reduce((sum, use) => sum + use.tokens_in + use.tokens_out, 0);
  const facts = [head.run_id, plural(steps, 'step'), failed ? `${failed} failed` : '', seconds(head.seconds), tokens ? `${count(tokens)} tokens` : '', [head.world, head.task].filter(Boolean).join(' · ')];
  const status = head.status === 'on_hold' ? 'waiting for you' : head.status.replaceAll('_', ' ');
  const choices = runs.length < 2 ? null : el('div', {class: 'bar', role: 'group', 'aria-label': 'Which run'},
    runs.map((one, side) => el('button', {type: 'button', 'aria-pressed': String(one === run && !compare), onclick: () => pick(one)}, `Run ${side ? 'B' : 'A'}`)),
    el('button', {type: 'button', 'aria-pressed': String(compare), onclick: () => pick(null)}, 'Compare'));
  fill(host,
    el('div', {class: 'title'}, el('span', {class: `badge ${TONES[head.status] || 'waiting'}`}, status), el('h1', {title: cut(head.goal, 1000)}, cut(head.goal, 300) || 'A run'),
      el('button', {type: 'button', class: 'help', 'aria-label': 'Keys and help', title: 'Keys (?)', onclick: help}, '?')),
    el('p', {class: 'facts'}, facts.filter(Boolean).map((fact) => el('span', {}, fact))),
    head.reason ? el('p', {class: 'reason'}, head.reason) : null,
    missing(head),
    choices);
}

// Search and filters; `changed` hears the wish whenever it is another one.
export class Wishes {
  constructor(host, {changed, next}) {
    this.changed = changed;
    this.search = el('input', {type: 'search', id: 'search', placeholder: 'Search  /', 'aria-label': 'Search lines, errors, and what stands behind them', oninput: () => this.tell(),
      onkeydown: (event) => { if (event.key === 'Enter') { next(event.shiftKey ? -1 : 1); event.preventDefault(); } }});
    this.lists = new Map(['role', 'kind', 'app'].map((name) => [name, el('select', {'aria-label': `Only this ${name}`, onchange: () => this.tell()})]));
    this.failed = el('input', {type: 'checkbox', id: 'failed', onchange: () => this.tell()});
    this.told = el('p', {class: 'told', role: 'status'});
    this.clear = el('button', {type: 'button', onclick: () => this.reset()}, 'Clear');
    host.append(el('div', {class: 'wishes', role: 'search'}, this.search, [...this.lists.values()],
      el('label', {for: 'failed'}, this.failed, ' failed only'), this.clear), this.told);
  }

  for(run) {
    this.range = null;
    this.search.value = '';
    this.failed.checked = false;
    for (const list of this.lists.values()) list.value = '';
    this.know(run);
  }

  // What there is to choose from; what is chosen stays.
  know(run) {
    for (const [name, list] of this.lists) {
      const values = [...new Set(run.items.map((item) => item[name]).filter(Boolean))].sort();
      if (list.length === values.length + 1 && values.every((value, at) => list.options[at + 1].value === value)) continue;
      const chosen = this.run === run ? list.value : '';
      fill(list, el('option', {value: ''}, `any ${name}`), values.map((value) => el('option', {value}, cut(value, 60))));
      list.hidden = values.length < 2;
      list.value = chosen;
    }
    this.run = run;
  }

  get wish() {
    const [role, kind, app] = [...this.lists.values()].map((list) => list.value);
    return {text: this.search.value.trim(), role, kind, app, failed: this.failed.checked, from: this.range?.[0] ?? 0, to: this.range?.[1] ?? Infinity};
  }

  only(from, to) { this.range = [from, to]; this.tell(); }

  reset() {
    this.search.value = '';
    for (const list of this.lists.values()) list.value = '';
    this.failed.checked = false;
    this.range = null;
    this.tell();
  }

  tell() { this.changed(this.wish); }
}
