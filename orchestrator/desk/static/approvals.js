// Everything that waits for a person, one after the other; what somebody else answers is said at once.

import {Card, answered, cardKeys, firstOf} from './answer.js';
import {cut, el, fill, place, plural} from './dom.js';
import {listen} from './keys.js';
import {refill, runHref, since} from './runs.js';
import {ask, query, runPath} from './wire.js';

const LOOK = 3000;  // ms between two looks of its own: an answer is given before the run has heard it
const keyOf = (one) => `${one.id} ${one.asking}`;

class Approvals {
  constructor(shell) {
    Object.assign(this, {shell, all: [], chosen: '', wanted: new URLSearchParams(location.search).get('run') || ''});
    this.body = place('Approvals', {wide: true});
    this.told = el('p', {class: 'quiet', role: 'status'});
    this.list = el('ul', {class: 'waits', 'aria-label': 'What waits'});
    this.place = el('div', {class: 'one-card'});
    this.body.append(this.told, el('div', {class: 'approvals'}, this.list, this.place));
    listen({...cardKeys(() => this.card), j: () => this.move(1), k: () => this.move(-1)});
    shell.listen((row, asks) => { if (asks) this.later(); });
    setInterval(() => { if (!document.hidden && this.all.length) this.later(); }, LOOK);
  }

  later() { this.due ||= setTimeout(() => { this.due = 0; this.read(); }, 100); }

  async read() {
    const told = await this.shell.tried(() => ask('/api/approvals'));
    if (!told) return;
    this.all = told.approvals.map((one) => ({id: one.run_id, asking: one.id, goal: one.goal, since: one.since, pending: {...one.pending, id: one.id, since: one.since}}));
    this.draw();
  }

  draw() {
    this.told.textContent = this.all.length ? `${plural(this.all.length, 'run')} waiting for you. Keys: j and k go through them; a, e, r, s choose an answer, and its button sends it.` : 'Nothing waits for you.';
    const now = this.all.find((one) => this.card && !this.card.closed && keyOf(one) === this.card.key_);
    if (this.card && !this.card.closed && !now) this.gone(this.card);
    refill(this.list, this.all.map((one) => el('li', {'data-key': keyOf(one)}, el('button', {type: 'button', class: 'wait', 'aria-current': keyOf(one) === this.chosen ? 'true' : null, onclick: () => this.show(one)},
      el('span', {class: 'badge waiting'}, one.pending.kind), el('b', {}, cut((one.pending.kind === 'question' && firstOf(one.pending).args?.question) || firstOf(one.pending).description, 120)), el('span', {class: 'quiet'}, `${cut(one.goal, 90)} · ${since(one.since)}`)))));
    if (!now && !(this.card?.closed && this.card.key_ === this.chosen)) {
      const next = this.all.find((one) => keyOf(one) === this.chosen) || this.all.find((one) => one.id === this.wanted) || this.all[0];
      if (next && !(keyOf(next) === this.chosen && next.pending.kind === 'plan')) this.show(next, true);
      else if (!next && !this.card) fill(this.place);
    }
  }

  show(one, quiet = false) {
    this.chosen = keyOf(one);
    this.wanted = one.id;
    if (!quiet) history.replaceState(null, '', `${location.pathname}${query({run: one.id})}`);
    this.list.querySelectorAll('button').forEach((button, at) => (this.all[at] && keyOf(this.all[at]) === this.chosen ? button.setAttribute('aria-current', 'true') : button.removeAttribute('aria-current')));
    if (one.pending.kind === 'plan') {
      this.card = null;
      fill(this.place, el('section', {class: 'card asks'}, el('p', {class: 'kind'}, el('span', {class: 'badge waiting'}, 'a plan'), el('a', {href: runHref(one.id)}, one.id)),
        el('h2', {}, firstOf(one.pending).description || 'A plan'), el('p', {}, cut(one.goal, 600)), el('p', {}, el('a', {class: 'button main', href: runHref(one.id, '/plan')}, 'Review and edit the plan'))));
      return;
    }
    this.card = new Card(this.shell, one.id, one.pending, {goal: one.goal, over: () => this.after()});
    this.card.key_ = keyOf(one);
    fill(this.place, this.card.node);
    if (!quiet && innerWidth < 700) this.card.node.scrollIntoView();
  }

  // Answered here: the words stay, and the next one is one press away.
  after() {
    const next = this.all.find((one) => keyOf(one) !== this.card.key_);
    const bar = el('div', {class: 'bar'}, next ? el('button', {type: 'button', class: 'main', onclick: () => { this.show(next); this.card?.node.focus(); }}, 'To the next') : null, el('a', {class: 'button', href: runHref(this.card.id)}, 'See the run'));
    this.card.node.firstChild.append(bar);
    if (this.card.mine) bar.firstChild.focus();  // whoever answered with the keyboard goes on with it
    this.later();
  }

  // Said at once; by whom, as soon as the run has heard it.
  async gone(card) {
    if (card.busy) return;
    card.close('Somebody else was quicker, or it is wanted no longer.');
    for (let pause = 300; this.card === card; pause = Math.min(pause * 1.3, LOOK)) {
      const told = await ask(runPath(card.id)).catch(() => null), {key} = card.pending;
      if (told?.answered?.key === key && told.answered.decision) { card.tell(answered(told.answered)); return; }
      if (told && told.pending?.key !== key) return;
      await new Promise((done) => { setTimeout(done, pause); });
    }
  }

  move(by) {
    const here = this.all.findIndex((one) => keyOf(one) === this.chosen), next = this.all[Math.max(0, Math.min(this.all.length - 1, here + by))];
    if (next) this.show(next);
  }
}

export async function open(shell) {
  shell.named('Approvals');
  await new Approvals(shell).read();
}
