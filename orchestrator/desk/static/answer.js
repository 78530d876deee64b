// What a run asks a person, and the four ways to answer. Nothing is chosen beforehand, and one key alone answers nothing. No word
// from a screen stands in a control: what a page says its button is called cannot make an answer out of it.

import {fold} from './detail.js';
import {capital, cut, el, fill, say} from './dom.js';
import {figure} from './screen.js';
import {readsOf} from './reads.js';
import {runHref, since} from './runs.js';
import {runPath, send} from './wire.js';

const CHOICES = {
  approve: ['a', 'Approve', 'It is done as it stands here.'],
  edit: ['e', 'Edit', 'Another action is done in its place.'],
  reject: ['r', 'Reject', 'It is not done; your words say why, or what to do instead.'],
  respond: ['s', 'Say something', 'It is not done; the crew goes on from your words.'],
};
const DONE = {approve: 'approved', edit: 'edited', reject: 'rejected', respond: 'answered', withdrawn: 'withdrew', expired: 'let go of'};

export const firstOf = (pending) => pending.action_requests?.[0] || {};
export const allowed = (pending) => pending.options || pending.review_configs?.[0]?.allowed_decisions || Object.keys(CHOICES);
export const asAction = (request) => ({action_type: request.name, ...request.args});
const boxOf = (pending) => {
  const box = pending.target_box || pending.box || firstOf(pending).args?.target?.bbox;
  const found = Array.isArray(box) ? box : box ? [box.x1, box.y1, box.x2, box.y2] : [];
  return found.length === 4 && found.every(Number.isFinite) ? found : null;
};

// A long name goes on in the next line behind one of its words.
const breakable = (name) => String(name).split(/(?<=_)/).flatMap((part) => [part, el('wbr')]);

// JSON in which what is short takes one line.
function exactly(value, indent = '') {
  const flat = JSON.stringify(value);
  if (value === null || typeof value !== 'object' || flat.length + indent.length < 60) return flat;
  const deeper = `${indent}  `, parts = Array.isArray(value) ? value.map((one) => exactly(one, deeper)) : Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${exactly(one, deeper)}`);
  const [from, to] = Array.isArray(value) ? '[]' : '{}';
  return `${from}\n${parts.map((part) => deeper + part).join(',\n')}\n${indent}${to}`;
}

// The place itself, pixel for pixel.
async function closeup(reads, state, item) {
  const frame = (await figure(reads, state, {words: '', item})).querySelector('.frame'), [wide] = (await reads.screen(state)).size, [x, y] = item.point;
  for (const [name, value] of [['width', `${wide}px`], ['left', `calc(50% - ${x}px)`], ['top', `calc(50% - ${y}px)`]]) frame.style.setProperty(name, value);
  return el('div', {class: 'closeup', 'aria-hidden': 'true'}, frame);
}

// A press that is meant: not the second of two quick ones, of which the first brought the button here, and not a key held down.
const meant = (does) => ({onclick: (event) => { if (event.detail < 2) does(); }, onkeydown: (event) => { if (event.repeat) event.preventDefault(); }});

export function answered(told) {
  const who = told.who || 'Somebody else', what = DONE[told.decision] || told.decision || 'answered';
  return `${who} ${what} this${told.message ? `: “${told.message}”` : ' already'}.`;
}

// The card of one request. `over` hears that it was answered, here or elsewhere.
export class Card {
  constructor(shell, id, pending, {over = () => {}, goal = '', picture = true} = {}) {
    Object.assign(this, {shell, id, pending, over, goal, picture, decision: ''});
    this.node = el('section', {class: 'card asks', 'aria-label': 'What is asked', tabindex: '-1'});
    this.draw();
  }

  get question() { return this.pending.kind === 'question' || firstOf(this.pending).name === 'ask_user'; }

  draw() {
    const {pending} = this, request = firstOf(pending), args = request.args || {};
    const title = this.question ? args.question || request.description : request.description || request.name;
    const rule = pending.rule ? [breakable(pending.rule), pending.risk ? ` (risk: ${pending.risk})` : ''] : '';
    const rows = [['Rule', rule], ['Because', (pending.reasons || []).join('; ')], ['Since', since(pending.since || pending.asked?.at)]];
    if (this.picture) rows.splice(1, 0, ['Effect', pending.effect], ['The crew says', pending.reason], ['In', pending.app], ['Asked by', pending.role]);
    this.screen = el('div', {class: 'figures'});
    this.form = el('div', {class: 'chosen'});
    this.told = el('p', {role: 'alert'});
    const may = this.shell.may('approve');
    const plan = pending.kind === 'plan';  // a plan is edited on a page of its own
    this.buttons = new Map(allowed(pending).filter((name) => CHOICES[name] && !(plan && name === 'edit')).map((name) => [name, el('button', {
      type: 'button', 'aria-pressed': 'false', class: `choice ${name}`, title: CHOICES[name][2], disabled: !may, 'aria-describedby': 'asked-for', ...meant(() => this.choose(name)),
    }, this.title(name), el('kbd', {'aria-hidden': 'true'}, CHOICES[name][0]))]));
    const said = el('div', {class: 'words-of'},
      el('p', {class: 'kind'}, el('span', {class: 'badge waiting'}, this.question ? 'a question' : plan ? 'a plan' : 'approval wanted'), el('a', {href: runHref(this.id)}, this.id)),
      el('h2', {class: `exact${(title || '').length > 120 ? ' long' : ''}`, id: 'asked-for'}, cut(title, 400) || 'Something'),
      this.goal ? el('p', {class: 'quiet'}, 'Goal: ', cut(this.goal, 400)) : null,
      this.question && pending.screen ? el('pre', {tabindex: '0', 'aria-label': 'What was on the screen'}, pending.screen) : null,
      el('dl', {}, rows.filter(([, value]) => value).map(([name, value]) => [el('dt', {}, name), el('dd', {}, value)])),
      this.question ? null : plan ? el('ol', {}, (args.subtasks || []).map((one) => el('li', {}, `${one.id}: ${one.instruction}`, one.app ? el('span', {class: 'quiet'}, ` · ${one.app}`) : null))) : fold('The exact action', exactly(asAction(request)), this.picture),
      el('div', {class: 'bar choices', role: 'group', 'aria-label': 'Your answer'}, [...this.buttons.values()], plan ? el('a', {class: 'button', href: runHref(this.id, '/plan')}, 'Review and edit the plan') : null),
      may ? null : el('p', {class: 'quiet'}, 'You may look on; answering needs the role approve.'),
      this.form, this.told);
    const shows = this.picture && pending.state_id;
    this.node.classList.toggle('with-screen', Boolean(shows));
    fill(this.node, said, shows ? this.screen : null);
    if (shows) this.show();
  }

  title(name) { return this.question && name === 'respond' ? 'Answer' : CHOICES[name][1]; }

  async show() {
    const reads = readsOf(this.id), box = boxOf(this.pending);
    const item = {box, point: box ? [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2] : null, line: firstOf(this.pending).description};
    const state = this.pending.state_id, whole = await figure(reads, state, {words: 'Where it would be done', item});
    fill(this.screen, whole, box && !whole.classList.contains('none') ? await closeup(reads, state, item) : null);
  }

  // Chosen is not sent: what would be sent stands below, and its own button sends it.
  choose(name) {
    if (this.closed || !this.buttons.has(name) || this.buttons.get(name).disabled) return;
    this.decision = name;
    for (const [other, button] of this.buttons) button.setAttribute('aria-pressed', String(other === name));
    const request = firstOf(this.pending);
    const words = this.question ? 'Your answer' : name === 'reject' ? 'Why, or what to do instead (may be empty)' : 'What you want to say';
    this.narrow = name === 'approve' && this.pending.kind === 'approval' ? el('input', {id: 'answer-narrow', spellcheck: 'false', placeholder: 'forbidden_actions: [delete]'}) : null;
    this.field = name === 'approve' ? null : name === 'edit'
      ? el('textarea', {rows: '8', id: 'answer-field', spellcheck: 'false', class: 'code'})
      : this.pending.private ? el('input', {type: 'password', id: 'answer-field', autocomplete: 'off'}) : el('textarea', {rows: '3', id: 'answer-field'});
    if (name === 'edit') this.field.value = JSON.stringify(asAction(request), null, 2);
    const send = el('button', {type: 'button', class: 'main', 'aria-describedby': 'asked-for', ...meant(() => this.answer())}, name === 'approve' ? (this.question ? 'Yes, answer so' : 'Yes, do exactly this') : `${this.title(name)}: send`);
    fill(this.form, el('p', {class: 'quiet'}, this.question && name === 'respond' ? '' : CHOICES[name][2]), this.field ? el('label', {for: 'answer-field'}, name === 'edit' ? 'The action to do instead, as JSON or in a line such as click "Save"' : words) : null, this.field,
      this.narrow ? el('label', {for: 'answer-narrow'}, 'Constraints from here on (may be empty)') : null, this.narrow,
      el('div', {class: 'bar'}, send, el('button', {type: 'button', onclick: () => this.unchoose()}, 'Back')));
    this.form.onkeydown = (event) => {
      if (event.key === 'Escape') { this.unchoose(); event.stopPropagation(); }
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) { if (!event.repeat) this.answer(); event.preventDefault(); }
    };
    this.told.textContent = '';
    (this.field || send).focus();
  }

  unchoose() {
    const was = this.buttons.get(this.decision);
    this.decision = '';
    for (const button of this.buttons.values()) button.setAttribute('aria-pressed', 'false');
    fill(this.form);
    was?.focus();
  }

  async answer() {
    if (this.closed || this.busy) return;
    const {decision, pending} = this, body = {pending: pending.id || pending.digest, decision};
    if (decision === 'edit') {
      const text = this.field.value.trim();
      try { body.action = text.startsWith('{') ? JSON.parse(text) : text; } catch (bad) { this.told.textContent = `This is no JSON: ${bad.message}`; this.field.focus(); return; }
    } else if (this.field && (this.field.value || decision === 'respond')) body.message = this.field.value;
    if (decision === 'respond' && !body.message) { this.told.textContent = 'Say something first.'; this.field.focus(); return; }
    if (this.narrow?.value.trim()) body.constraints = this.narrow.value;
    this.busy = true;
    try {
      await send(runPath(this.id, '/answer'), body);
      this.mine = true;
      this.close(`You ${DONE[decision]} this${decision === 'edit' ? '; this is done instead' : ''}.`, 'ok', body.action);
    } catch (bad) {
      if (bad.status === 409) this.close(bad.told.decision ? answered(bad.told) : bad.message, 'warn');
      else this.told.textContent = bad.message;
    }
    this.busy = false;
  }

  // It is answered: nothing can be pressed any more, and it says by whom.
  close(words, tone = 'warn', instead = null) {
    if (this.closed) return;
    this.closed = true;
    this.node.classList.replace('asks', 'over');
    for (const button of this.buttons.values()) button.disabled = true;
    fill(this.form);
    this.told.className = `done ${tone}`;
    this.tell(words);
    if (instead) this.told.after(el('pre', {tabindex: '0', 'aria-label': 'What is done instead'}, cut(typeof instead === 'string' ? instead : exactly(instead), 4000)));
    this.over(this);
  }

  tell(words) {
    fill(this.told, document.createTextNode(capital(cut(words, 500))));
    say(words);
  }

  key(letter) {
    const found = Object.entries(CHOICES).find(([, [key]]) => key === letter);
    if (found) this.choose(found[0]);
  }
}

export const cardKeys = (card) => Object.fromEntries(Object.values(CHOICES).map(([key]) => [key, () => card()?.key(key)]));
