// Starts a run: what for, in which world, under which policies; with a plan looked at first, if that is wanted.

import {cut, el, fill, place} from './dom.js';
import {PlanForm} from './planform.js';
import {runHref} from './runs.js';
import {ask, send} from './wire.js';

export const field = (id, label, control, hint = '') => {
  control.id = id;
  if (hint) control.setAttribute('aria-describedby', `${id}-hint`);
  return el('p', {class: 'field'}, el('label', {for: id}, label), control, hint ? el('span', {class: 'hint', id: `${id}-hint`}, hint) : null);
};
export const choices = (list, nothing) => [el('option', {value: ''}, nothing), ...list.map((one) => el('option', {value: one.name, title: cut(one.goal || one.about || '', 300)}, cut([one.name, one.goal || one.about].filter(Boolean).join(': '), 110)))];

const KEPT = 'deskcrew-start', DECIDES = 'Who decides: rules, a model, …';

class Start {
  constructor(shell, {tasks, worlds, presets}) {
    Object.assign(this, {shell, tasks, presets});
    this.body = place('Start a run');
    this.task = el('select', {onchange: () => this.picked()}, choices(tasks, 'a goal of my own'));
    this.goal = el('textarea', {rows: '3', maxlength: '20000'});
    this.world = el('select', {}, choices(worlds, 'as the settings say'));
    this.preset = el('select', {onchange: () => this.lacks()}, choices(presets, 'as the settings say'));
    this.seed = el('input', {type: 'number', min: '0', placeholder: 'as the settings say'});
    this.overrides = el('textarea', {rows: '2', class: 'code', spellcheck: 'false', placeholder: 'limits.steps=60'});
    this.review = el('input', {type: 'checkbox', id: 'review'});
    this.told = el('p', {role: 'alert'});
    this.plan = el('div', {class: 'stack'});
    this.go = el('button', {type: 'button', class: 'main', onclick: () => this.start()}, 'Start');
    this.first = el('button', {type: 'button', onclick: () => this.planned()}, 'Plan first');
    this.body.append(el('div', {class: 'card form'},
      field('task', 'Task', this.task, 'A task of this installation, or a goal of your own.'), field('goal', 'Goal', this.goal, 'What is to be done, in words.'),
      el('div', {class: 'columns'}, field('world', 'World', this.world), field('preset', 'Policies', this.preset, DECIDES), field('seed', 'Seed', this.seed)),
      field('overrides', 'Settings otherwise', this.overrides, 'One key=value a line.'), el('p', {class: 'check'}, el('label', {for: 'review'}, this.review, ' Show me every plan before it is worked')),
      el('div', {class: 'bar'}, this.go, this.first), this.told), this.plan);
    this.remember();
    if (!shell.may('operate')) { this.go.disabled = this.first.disabled = true; this.told.textContent = 'Starting runs needs the role operate.'; }
  }

  // What was written is there again after a refresh.
  remember() {
    const all = {task: this.task, goal: this.goal, world: this.world, preset: this.preset, seed: this.seed, overrides: this.overrides};
    const kept = JSON.parse(sessionStorage.getItem(KEPT) || '{}');
    for (const [name, control] of Object.entries(all)) if (kept[name]) control.value = kept[name];
    this.review.checked = Boolean(kept.review);
    this.body.addEventListener('input', () => sessionStorage.setItem(KEPT, JSON.stringify({...Object.fromEntries(Object.entries(all).map(([name, control]) => [name, control.value])), review: this.review.checked})));
    this.picked();
    this.lacks();
  }

  picked() {
    const task = this.tasks.find((one) => one.name === this.task.value);
    this.goal.disabled = Boolean(task);
    this.goal.placeholder = task ? cut(task.goal || '', 600) : 'Read the total of the newest invoice and write it into the reimbursement form';
    this.world.disabled = Boolean(task);
  }

  // What a preset wants that this machine has not.
  lacks() {
    const preset = this.presets.find((one) => one.name === this.preset.value), missing = [...(preset?.wrong || []), ...(preset?.lacking || [])];
    document.getElementById('preset-hint').textContent = cut(missing.length ? `Not ready here: ${missing.join('; ')}` : DECIDES, 400);
  }

  wish() {
    const wish = this.task.value ? {task: this.task.value} : {goal: this.goal.value.trim()};
    if (!wish.task && !wish.goal) throw new Error('Choose a task, or say what is to be done.');
    if (!wish.task && this.world.value) wish.world = this.world.value;
    if (this.preset.value) wish.preset = this.preset.value;
    if (this.seed.value !== '') wish.seed = Number(this.seed.value);
    const overrides = this.overrides.value.split('\n').map((line) => line.trim()).filter(Boolean);
    return overrides.length ? {...wish, overrides} : wish;
  }

  async tried(question) {
    this.told.textContent = '';
    this.go.disabled = this.first.disabled = true;
    try { return await question(); } catch (bad) { this.told.textContent = bad.message; return null; } finally { this.go.disabled = this.first.disabled = false; }
  }

  async start(plan = null) {
    const told = await this.tried(() => send('/api/runs', {...this.wish(), ...(plan ? {plan} : {}), ...(this.review.checked ? {review_plan: true} : {})}));
    if (!told) return;
    sessionStorage.removeItem(KEPT);
    location.assign(runHref(told.id));
  }

  async planned() {
    fill(this.plan, el('p', {class: 'quiet', role: 'status'}, 'The Manager plans …'));
    const told = await this.tried(() => send('/api/plan', this.wish()));
    if (!told) { fill(this.plan); return; }
    const plan = told.plan || told, form = new PlanForm({apps: told.apps || [...new Set(plan.subtasks.map((one) => one.app).filter(Boolean))]});
    form.put(plan.subtasks);
    const shown = JSON.stringify(form.value());
    const more = Object.fromEntries(Object.entries(plan).filter(([name]) => name === 'pinned'));
    // A plan that somebody wrote anew is what they want, whatever else the goal says.
    const asWritten = (value) => ({...(JSON.stringify(value) === shown ? more : {pinned: true}), ...value});
    fill(this.plan, el('h2', {tabindex: '-1', id: 'planned'}, 'The plan, before it is worked'), form.node,
      el('div', {class: 'bar'}, el('button', {type: 'button', class: 'main', onclick: () => this.tried(() => asWritten(form.value())).then((value) => value && this.start(value))}, 'Start with this plan'),
        el('button', {type: 'button', onclick: () => fill(this.plan)}, 'Leave it')));
    document.getElementById('planned').focus();
  }
}

export async function open(shell) {
  shell.named('Start a run');
  const [tasks, worlds, presets] = await Promise.all(['tasks', 'worlds', 'presets'].map((name) => ask(`/api/${name}`).then((told) => told[name])));
  new Start(shell, {tasks, worlds, presets});
}
