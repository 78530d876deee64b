// A plan that can be written: one part for each subtask, and the graph of what is written.

import {graph} from './diagrams.js';
import {el, fill, shown} from './dom.js';

const WORKERS = ['operator', 'technician', 'analyst'];
const MANY = 10;  // subtasks of which it is folded which one another waits for
const KNOWN = new Set(['id', 'instruction', 'title', 'app', 'worker', 'depends_on', 'expect', 'hints', 'pinned', 'status', 'attempt']);

export class PlanForm {
  // `apps` are names to choose from; `ended` are subtasks that stay as they are.
  constructor({apps = [], ended = [], changed = () => {}} = {}) {
    Object.assign(this, {apps, ended, changed, subtasks: []});
    this.picture = el('div', {class: 'plan-graph'});
    this.rows = el('ol', {class: 'plan-form', 'aria-label': 'Subtasks'});
    this.node = el('div', {class: 'plan'}, this.picture, this.rows, el('button', {type: 'button', onclick: () => this.add()}, 'Add a subtask'));
  }

  put(subtasks) {
    this.subtasks = subtasks.map((one) => ({...one, depends_on: [...(one.depends_on || [])]}));
    this.draw();
  }

  // The plan as it is sent; raises where a part of it is no JSON.
  value() {
    return {subtasks: this.subtasks.map((one) => {
      const {expect_text: text, status, attempt, ...rest} = one;
      if (text !== undefined) {
        try { rest.expect = text.trim() ? JSON.parse(text) : []; } catch (bad) { throw new Error(`What is expected of ${one.id} is no JSON: ${bad.message}`); }
      }
      return Object.fromEntries(Object.entries(rest).filter(([name, value]) => name === 'id' || name === 'instruction' || !(value === '' || value === null || (Array.isArray(value) && !value.length))));
    })};
  }

  add() {
    const ids = new Set([...this.subtasks, ...this.ended].map((one) => one.id));
    let number = this.subtasks.length + 1;
    while (ids.has(`s${number}`)) number += 1;
    this.subtasks.push({id: `s${number}`, instruction: '', app: this.subtasks.at(-1)?.app || '', depends_on: this.subtasks.length ? [this.subtasks.at(-1).id] : []});
    this.draw();
    this.rows.querySelector('li:last-child textarea')?.focus();
    this.changed();
  }

  away(at) {
    const {id} = this.subtasks[at];
    this.subtasks.splice(at, 1);
    for (const one of this.subtasks) one.depends_on = one.depends_on.filter((other) => other !== id);
    this.draw();
    (this.rows.children[Math.min(at, this.subtasks.length - 1)] || this.node).querySelector('button, textarea')?.focus();
    this.changed();
  }

  move(at, by) {
    const [one] = this.subtasks.splice(at, 1);
    this.subtasks.splice(at + by, 0, one);
    this.draw();
    this.rows.children[at + by].querySelector('button')?.focus();
    this.changed();
  }

  draw() {
    fill(this.rows, this.subtasks.map((one, at) => this.row(one, at)));
    this.again();
  }

  again() {
    const all = [...this.ended, ...this.subtasks].map((one) => ({...one, title: one.title || one.instruction, status: one.status || 'ready'}));
    fill(this.picture, all.length ? graph(all) : el('p', {class: 'quiet'}, 'There are no subtasks yet.'));
  }

  field(at, name, label, control) {
    const id = `plan-${at}-${name}`;
    control.id = id;
    control.addEventListener('input', () => { this.take(at, name, control); });
    return el('p', {class: `field ${name}`}, el('label', {for: id}, label), control);
  }

  take(at, name, control) {
    const one = this.subtasks[at];
    if (name === 'id') {
      for (const other of this.subtasks) other.depends_on = other.depends_on.map((id) => (id === one.id ? control.value : id));
      one.id = control.value;
    } else if (name === 'expect') one.expect_text = control.value;
    else if (name === 'instruction') { one.instruction = control.value; delete one.title; delete one.steps; }
    else one[name] = control.value;
    this.again();
    this.changed();
  }

  row(one, at) {
    const id = el('input', {type: 'text', value: one.id, autocomplete: 'off', spellcheck: 'false'}), instruction = el('textarea', {rows: '2'});
    instruction.value = one.instruction || '';
    const apps = [...new Set(['', ...this.apps, one.app || ''])], app = el('select', {}, apps.map((name) => el('option', {value: name}, name || 'where it is')));
    app.value = one.app || '';
    const worker = el('select', {}, WORKERS.map((name) => el('option', {value: name}, name)));
    worker.value = one.worker || 'operator';
    const expect = el('textarea', {rows: '3', class: 'code', spellcheck: 'false'});
    expect.value = one.expect_text ?? (one.expect?.length ? JSON.stringify(one.expect, null, 1) : '');
    const others = [...this.ended, ...this.subtasks].filter((other) => other.id !== one.id);
    const many = others.length > MANY, chosen = el('summary', {});
    const told = () => fill(chosen, document.createTextNode(`Waits for ${shown(one.depends_on.join(', ')) || 'nothing'}`));
    told();
    const boxes = el('fieldset', {class: 'depends'}, el('legend', {class: many ? 'hidden-but-read' : ''}, 'Waits for'), others.length ? others.map((other, number) => {
      const box = el('input', {type: 'checkbox', id: `plan-${at}-after-${number}`, onchange: () => {
        one.depends_on = box.checked ? [...one.depends_on, other.id] : one.depends_on.filter((name) => name !== other.id);
        told();
        this.again();
        this.changed();
      }});
      box.checked = one.depends_on.includes(other.id);
      return el('label', {for: box.id}, box, ` ${other.id}`);
    }) : el('span', {class: 'quiet'}, 'nothing'));
    const waits = many ? el('details', {class: 'waits-for'}, chosen, boxes) : boxes;
    const rest = Object.entries(one).filter(([name, value]) => !KNOWN.has(name) && name !== 'expect_text' && value);
    return el('li', {class: 'subtask-form'},
      el('div', {class: 'bar order'}, el('b', {}, `${at + 1}`),
        el('button', {type: 'button', 'aria-label': `Move ${one.id} up`, disabled: at === 0, onclick: () => this.move(at, -1)}, '↑'), el('button', {type: 'button', 'aria-label': `Move ${one.id} down`, disabled: at === this.subtasks.length - 1, onclick: () => this.move(at, 1)}, '↓'),
        el('button', {type: 'button', class: 'away', 'aria-label': `Remove ${one.id}`, onclick: () => this.away(at)}, 'Remove')),
      this.field(at, 'id', 'Id', id), this.field(at, 'instruction', 'Instruction', instruction), this.field(at, 'app', 'App', app), this.field(at, 'worker', 'Worker', worker), waits,
      el('details', {}, el('summary', {}, `Expected to be seen${one.expect?.length ? ` (${one.expect.length})` : ''}`), this.field(at, 'expect', 'A list of expectations, as JSON', expect)),
      rest.length ? el('p', {class: 'quiet'}, rest.map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join(' · ')) : null);
  }
}
