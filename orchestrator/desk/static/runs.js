// Every run, the newest first: sought, sorted out by how it stands, and kept up with.

import {count, cut, el, fill, place, plural, seconds} from './dom.js';
import {listen} from './keys.js';
import {ask, query} from './wire.js';

const STATES = [['', 'All'], ['waiting', 'Waiting for you'], ['running', 'At work'], ['fulfilled', 'Fulfilled'], ['failed', 'Not fulfilled'], ['stopped', 'Stopped']];
export const TONES = {fulfilled: 'ok', rejected: 'failed', cancelled: 'failed', damaged: 'failed', running: 'info', paused: 'warn', taken_over: 'warn', interrupted: 'warn'};
const WAITS = {approval: 'approval', question: 'question', plan: 'plan'};

// How a run stands, in a word that can be read without its colour.
export function badge(run) {
  if (run.waiting) return el('span', {class: 'badge waiting', title: cut(run.waiting.summary, 300)}, `waiting for you${WAITS[run.waiting.kind] ? `: ${WAITS[run.waiting.kind]}` : ''}`);
  return el('span', {class: `badge ${TONES[run.status] || 'waiting'}`}, run.status === 'on_hold' ? 'waiting for you' : String(run.status || 'unknown').replaceAll('_', ' '));
}

export const since = (at) => {
  const ago = Date.now() / 1000 - at;
  return !(at > 0) ? '' : ago < 5 ? 'just now' : ago < 86400 ? `${seconds(Math.round(ago)).replace(/ \d+ s$/, '').replace(/ 0 min$/, '')} ago` : new Date(at * 1000).toLocaleString();
};
// New rows in a list; whoever stood in one of them stands there still.
export function refill(list, rows) {
  const parts = (row) => [...row.querySelectorAll('a, button')], row = list.contains(document.activeElement) && document.activeElement.closest('[data-key]');
  const at = row ? parts(row).indexOf(document.activeElement) : -1;
  fill(list, rows);
  const again = row && rows.find((one) => one.dataset.key === row.dataset.key);
  if (again) (parts(again)[at] || parts(again)[0])?.focus();
}
export const runHref = (id, rest = '') => `/runs/${encodeURIComponent(id)}${rest}`;

class Runs {
  constructor(shell) {
    this.shell = shell;
    this.body = place('Runs', {aside: shell.may('operate') ? el('a', {class: 'button main', href: '/start'}, 'Start a run') : null});
    const told = new URLSearchParams(location.search);
    this.search = el('input', {type: 'search', id: 'search', placeholder: 'Search  /', 'aria-label': 'Search runs by goal, task or id', value: told.get('query') || '', oninput: () => this.later(),
      onkeydown: (event) => { if (event.key === 'Enter' || event.key === 'ArrowDown') { this.move(1); event.preventDefault(); } }});
    this.status = told.get('status') || '';
    this.states = STATES.map(([state, title]) => el('button', {type: 'button', 'aria-pressed': String(state === this.status), onclick: () => this.only(state)}, title));
    this.list = el('ol', {class: 'runs', 'aria-label': 'Runs'});
    this.told = el('p', {class: 'quiet', role: 'status'});
    this.more = el('button', {type: 'button', hidden: true, onclick: () => this.read(this.next)}, 'Older runs');
    this.body.append(el('div', {class: 'sought', role: 'search'}, this.search, el('div', {class: 'bar', role: 'group', 'aria-label': 'Only runs that are'}, this.states)), this.told, this.list, this.more);
    this.rows = new Map();
    this.meanwhile = [];
    listen({'/': () => { this.search.focus(); this.search.select(); }, j: () => this.move(1), k: () => this.move(-1)});
    shell.listen((row) => this.hear(row));
  }

  async read(before = '') {
    const asked = this.asked = {};
    const told = await this.shell.tried(() => ask(`/api/runs${query({query: this.search.value.trim(), status: this.status, limit: 50, before})}`));
    if (this.asked !== asked) return;
    this.asked = null;
    const meanwhile = this.meanwhile.splice(0);
    if (!told) return;
    if (!before) this.rows.clear();
    for (const run of told.runs) this.rows.set(run.id, run);
    this.next = told.next;
    this.more.hidden = !told.next;
    this.draw();
    meanwhile.forEach((run) => this.hear(run));  // the answer may be older than what was told while it came
  }

  later() {
    clearTimeout(this.due);
    this.due = setTimeout(() => this.renew(), 150);
  }

  renew() {
    history.replaceState(null, '', `${location.pathname}${query({query: this.search.value.trim(), status: this.status})}`);
    return this.read();
  }

  only(state) {
    this.status = state;
    this.states.forEach((button, at) => button.setAttribute('aria-pressed', String(STATES[at][0] === state)));
    this.renew();
  }

  // A row that is shown takes its new values at once; whether another one belongs here the server says.
  hear(told) {
    const runs = told?.runs || (told?.id ? [told] : []);
    if (this.asked) this.meanwhile.push(...runs);
    if (runs.length && !this.status && !this.search.value.trim() && runs.every((run) => this.rows.has(run.id))) {
      for (const run of runs) this.rows.set(run.id, run);
      this.draw();
    } else if (!this.soon) this.soon = setTimeout(() => { this.soon = 0; this.read(); }, 250);
  }

  draw() {
    refill(this.list, [...this.rows.values()].map((run) => this.row(run)));
    const waiting = [...this.rows.values()].filter((run) => run.waiting).length;
    this.told.textContent = this.rows.size ? `${plural(this.rows.size, 'run')}${waiting ? `, ${waiting} waiting for you` : ''}` : this.status || this.search.value ? 'No run is like that.' : 'There are no runs here yet.';
  }

  row(run) {
    const facts = [run.task, run.preset, plural(run.steps || 0, 'step'), seconds(run.seconds), run.tokens ? `${count(run.tokens)} tokens` : '', since(run.started), run.who_works ? `worked by ${run.who_works}` : ''];
    return el('li', {class: `run${run.waiting ? ' asks' : ''}`, 'data-key': run.id}, badge(run),
      el('div', {class: 'what'}, el('a', {href: runHref(run.id), title: cut(run.goal, 1000)}, cut(run.goal, 220) || run.id),
        run.waiting ? el('p', {class: 'asked'}, cut(run.waiting.summary, 200)) : null,
        el('p', {class: 'facts'}, el('span', {class: 'id'}, run.id), facts.filter(Boolean).map((fact) => el('span', {}, cut(fact, 80))))),
      run.waiting ? el('a', {class: 'button', href: run.waiting.kind === 'plan' ? runHref(run.id, '/plan') : `/approvals?run=${encodeURIComponent(run.id)}`}, 'Answer') : null);
  }

  move(by) {
    const links = [...this.list.querySelectorAll('.what > a')], here = links.indexOf(document.activeElement);
    links[Math.max(0, Math.min(links.length - 1, here + by))]?.focus();
  }
}

export async function open(shell) {
  shell.named('Runs');
  await new Runs(shell).read();
}
