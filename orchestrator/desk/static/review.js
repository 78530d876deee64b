// A plan that waits to be reviewed: worked as it is, worked as somebody writes it, or sent back with words.

import {answered, firstOf} from './answer.js';
import {cut, el, fill, place, say} from './dom.js';
import {PlanForm} from './planform.js';
import {runHref} from './runs.js';
import {Stream, ask, runPath, send} from './wire.js';

class Review {
  constructor(shell, id) {
    Object.assign(this, {shell, id, key: null});
    this.body = place('Plan', {aside: el('a', {class: 'button', href: runHref(id)}, 'To the run'), wide: true});
    this.place = el('div', {class: 'stack'});
    this.told = el('p', {role: 'alert'});
    this.body.append(this.place, this.told);
  }

  async read() {
    this.take(await ask(runPath(this.id)));
    this.stream = new Stream(runPath(this.id, '/stream'), {head: (told) => this.take(told), end: () => this.stream.end()}, (state) => this.shell.stands('run', state));
  }

  take(told) {
    const pending = told.pending?.kind === 'plan' ? told.pending : null, key = pending?.id || '';
    if (key === this.key) {
      if (pending && !this.mine && told.answered?.heard === false) this.closed(answered(told.answered), 'warn');
      return;
    }
    if (this.key && !pending && !this.mine) this.closed(told.answered ? answered(told.answered) : 'This plan is answered, or wanted no longer.', 'warn');
    else if (this.key === null && !pending) this.worked(told);
    this.key = key;
    if (pending) this.ask(told, pending);
  }

  worked(told) {
    const plan = told.plans.at(-1);
    const form = new PlanForm();
    form.put(plan?.subtasks || []);
    fill(this.place, el('p', {class: 'quiet'}, 'No plan of this run waits to be reviewed. A run asks when it was started with “show me every plan”.'),
      plan ? [el('h2', {}, `Plan ${plan.version}`), form.picture] : null);
  }

  ask(told, pending) {
    const plan = firstOf(pending).args || {subtasks: []}, may = this.shell.may('approve');
    this.mine = false;
    this.edited = false;
    this.plan = plan;
    this.pendingOf = pending;
    this.form = new PlanForm({apps: pending.apps || [], ended: pending.ended || [], changed: () => this.mark()});
    this.form.put(plan.subtasks || []);
    this.as = el('button', {type: 'button', disabled: !may, onclick: () => this.answer('approve')}, 'Work this plan');
    this.own = el('button', {type: 'button', disabled: true, onclick: () => this.answer('edit')}, 'Work the plan as I wrote it');
    this.words = el('textarea', {id: 'plan-words', rows: '2'});
    this.back = el('button', {type: 'button', disabled: !may, onclick: () => this.answer('reject')}, 'Reject: plan again');
    this.talk = el('button', {type: 'button', disabled: !may, onclick: () => this.answer('respond')}, 'Say this, and plan again');
    this.told.textContent = '';
    const version = pending.plan_version || told.plans.length;
    fill(this.place, el('section', {class: 'card asks'},
      el('p', {class: 'kind'}, el('span', {class: 'badge waiting'}, version > 1 ? `a new plan, number ${version}` : 'a plan'), el('a', {href: runHref(this.id)}, this.id)),
      el('h2', {class: told.head.goal?.length > 200 ? 'exact long' : ''}, cut(told.head.goal, 500)), (pending.reasons || []).length ? el('p', {}, 'Why so: ', pending.reasons.join('; ')) : null,
      (pending.ended || []).length ? el('p', {class: 'quiet'}, `${pending.ended.map((one) => one.id).join(', ')} ended already and stays as it is.`) : null,
      (plan.subtasks || []).length > 4 ? el('p', {}, el('a', {href: '#decide'}, 'To your answer')) : null),
    this.form.node,
    el('section', {class: 'card decide', id: 'decide', tabindex: '-1', 'aria-label': 'Your answer'}, el('div', {class: 'bar'}, this.as, this.own), el('p', {class: 'field'}, el('label', {for: 'plan-words'}, 'Or in words: what is to be otherwise'), this.words),
      el('div', {class: 'bar'}, this.talk, this.back), may ? null : el('p', {class: 'quiet'}, 'You may look on; answering needs the role approve.')));
    say('A plan waits for you.');
  }

  // What was written cannot be worked as if it had not been.
  mark() {
    this.edited = true;
    this.own.disabled = !this.shell.may('approve');
    this.as.disabled = true;
    this.as.title = 'You changed the plan.';
  }

  async answer(decision) {
    if (this.busy) return;
    const body = {pending: this.pendingOf.id, decision}, words = this.words.value.trim();
    if (decision === 'respond' && !words) { this.told.textContent = 'Say something first.'; this.words.focus(); return; }
    if (words && decision !== 'edit' && decision !== 'approve') body.message = words;
    this.busy = this.mine = true;
    try {
      if (decision === 'edit') body.action = this.form.value();
      await send(runPath(this.id, '/answer'), body);
      this.closed({approve: 'You approved this plan; it is being worked.', edit: 'Your plan is being worked.', reject: 'You rejected this plan; another one is being made.', respond: 'The Manager plans again with your words.'}[decision], 'ok');
    } catch (bad) {
      this.mine = false;
      if (bad.status === 409) this.closed(bad.told.decision ? answered(bad.told) : bad.message, 'warn');
      else this.told.textContent = bad.message;
    }
    this.busy = false;
  }

  closed(words, tone) {
    fill(this.place, el('section', {class: 'card', tabindex: '-1', id: 'over'}, el('p', {class: `done ${tone}`, role: 'alert'}, words), el('p', {}, el('a', {class: 'button main', href: runHref(this.id)}, 'Watch the run'))));
    document.getElementById('over').focus();
  }
}

export async function open(shell, id) {
  shell.named('Plan');
  await new Review(shell, id).read();
}
