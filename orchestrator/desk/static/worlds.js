// The worlds by hand: opened in a tab of their own, recorded if that is wanted, and learnt from.

import {cut, el, fill, plural} from './dom.js';
import {since} from './runs.js';
import {place} from './shell.js';
import {choices, field} from './start.js';
import {ask, remove, send} from './wire.js';

class Worlds {
  constructor(shell, {worlds}) {
    this.shell = shell;
    this.body = place('Worlds');
    this.world = el('select', {}, choices(worlds, 'choose a world'));
    this.seed = el('input', {type: 'number', min: '0', placeholder: '0'});
    this.record = el('input', {type: 'checkbox', id: 'record', onchange: () => { this.goalRow.hidden = !this.record.checked; }});
    this.goal = el('input', {type: 'text', maxlength: '2000'});
    this.goalRow = field('goal', 'What you will show', this.goal, 'The goal of the demonstration, in words: a crew finds it by them.');
    this.goalRow.hidden = true;
    this.told = el('p', {role: 'alert'});
    this.go = el('button', {type: 'button', class: 'main', onclick: () => this.open()}, 'Open');
    this.list = el('ul', {class: 'open-worlds', 'aria-label': 'Open worlds'});
    this.number = el('h2', {});
    this.understood = el('div', {class: 'stack'});
    this.records = el('ul', {class: 'records', 'aria-label': 'Recordings'});
    this.kept = el('section', {class: 'stack', 'aria-label': 'What was recorded', hidden: true}, el('h2', {}, 'Recordings'), this.records);
    this.body.append(el('p', {class: 'quiet'}, 'A world as a person uses it. With recording, every step is kept, and what you did can be learnt by the crew.'),
      el('div', {class: 'card form'}, el('div', {class: 'columns'}, field('world', 'World', this.world), field('seed', 'Seed', this.seed)), el('p', {class: 'check'}, el('label', {for: 'record'}, this.record, ' Record what I do')), this.goalRow, el('div', {class: 'bar'}, this.go), this.told),
      this.number, this.list, this.understood, this.kept);
    if (!shell.may('operate')) { this.go.disabled = true; this.told.textContent = 'Opening worlds needs the role operate.'; }
  }

  async read() {
    if (!this.shell.may('operate')) return;
    const told = await this.shell.tried(() => Promise.all([ask('/api/worlds/open'), ask('/api/recordings')]));
    if (!told) return;
    const [{worlds: open}, {recordings}] = told;
    this.number.textContent = open.length ? `Open: ${plural(open.length, 'world')}` : 'None is open';
    fill(this.list, open.map((one) => this.row(one)));
    this.kept.hidden = !recordings.length;
    fill(this.records, recordings.map((one) => el('li', {class: 'record'}, el('span', {}, one.name, el('span', {class: 'quiet'}, ` · ${plural(one.steps, 'step')} · ${since(one.at)}`)),
      one.steps ? el('button', {type: 'button', 'aria-label': `Learn ${one.name}`, onclick: () => this.learn(() => send('/api/knowledge/learn', {record: one.name}))}, 'Learn it') : null)));
  }

  row(one) {
    const safe = /^https?:\/\//.test(one.url), recorded = Boolean(one.record);
    const end = (learn) => () => this.learn(() => remove(`/api/worlds/open/${encodeURIComponent(one.id)}${learn ? '?learn=true' : ''}`));
    return el('li', {class: 'card'}, el('b', {}, one.world), el('span', {class: 'quiet'}, ` seed ${one.seed} · opened by ${one.who} ${since(one.since)}${one.steps ? ` · ${plural(one.steps, 'step')}` : ''}`), recorded ? el('span', {class: 'badge waiting'}, 'recording') : null,
      one.goal ? el('p', {}, cut(one.goal, 300)) : null,
      el('div', {class: 'bar'}, safe ? el('a', {class: 'button main', href: one.url, target: '_blank', rel: 'noopener noreferrer'}, 'Go there') : null,
        this.shell.may('operate') ? [el('button', {type: 'button', onclick: end(false)}, recorded ? 'Finish, keep the record' : 'Close'), recorded ? el('button', {type: 'button', onclick: end(true)}, 'Finish and learn it') : null] : null));
  }

  // What was understood of a recording, and whether it is kept.
  async learn(question) {
    const told = await this.shell.tried(question);
    if (told) {
      this.shell.tell(told.said, told.saved ? 'ok' : '');
      fill(this.understood, told.steps?.length ? el('section', {class: 'card', 'aria-label': 'What was understood'}, el('h2', {}, told.title || told.record), el('ol', {}, told.steps.map((step) => el('li', {}, step))), told.doubts.length ? el('ul', {class: 'bad'}, told.doubts.map((doubt) => el('li', {}, doubt))) : null) : null);
    }
    await this.read();
  }

  async open() {
    this.told.textContent = '';
    if (!this.world.value) { this.told.textContent = 'Choose a world first.'; this.world.focus(); return; }
    if (this.record.checked && !this.goal.value.trim()) { this.told.textContent = 'Say what you will show.'; this.goal.focus(); return; }
    this.go.disabled = true;
    try {
      await send(`/api/worlds/${encodeURIComponent(this.world.value)}/open`, {...(this.seed.value === '' ? {} : {seed: Number(this.seed.value)}), ...(this.record.checked ? {record: true, goal: this.goal.value.trim()} : {})});
    } catch (bad) { this.told.textContent = bad.message; }
    this.go.disabled = false;
    await this.read();
  }
}

export async function open(shell) {
  shell.named('Worlds');
  await new Worlds(shell, await ask('/api/worlds')).read();
}
