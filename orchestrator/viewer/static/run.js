// One run: its items at once, its details and screens on demand, and what was so at any moment of it.

import {pictureOf, remembering, unpacked} from './blocks.js';

export const ROLES = ['controller', 'manager', 'operator', 'technician', 'analyst', 'evaluator', 'user'];
export const roleClass = (role) => (ROLES.includes(role) ? role : role === 'waiting' ? 'user' : 'other');
export const SIGNS = {ok: '✓', failed: '✗', warn: '!', waiting: '?', info: '·'};
export const STATUS_WORDS = {ok: 'done', failed: 'failed', warn: 'with trouble', waiting: 'waiting', info: ''};

export class Run {
  constructor(name, told, boot) {
    Object.assign(this, told, {name});
    this.items = told.items.map((values, index) => {
      const item = {index};
      told.fields.forEach((field, at) => { item[field] = values[at]; });
      return item;
    });
    this.steps = new Map();
    for (const item of this.items) {
      if (item.step && item.kind === 'step' && !this.steps.has(item.step)) this.steps.set(item.step, item.index);
    }
    this.element = boot.element;
    this.flags = boot.flags;
    const places = new Map(told.screens.map((id, at) => [id, Math.floor(at / boot.per_chunk)]));
    const details = remembering(40, (at) => unpacked(`${name}-details-${at}`));
    const screens = remembering(8, (at) => unpacked(`${name}-screens-${at}`));
    const bundled = remembering(60, (id) => pictureOf(id), (url) => URL.revokeObjectURL(url));
    this.detail = async (index) => (await details(Math.floor(index / boot.per_block)))[index % boot.per_block] || {};
    this.detailBlock = (at) => unpacked(`${name}-details-${at}`);
    this.detailBlocks = Math.ceil(this.items.length / boot.per_block);
    this.perBlock = boot.per_block;
    this.has = (id) => places.has(id) || id in this.pictures;
    this.screen = async (id) => {
      if (!places.has(id)) return null;
      const chunk = await screens(places.get(id)), found = chunk.screens[id];
      return found ? {...found, elements: found.elements.map((number) => chunk.elements[number])} : null;
    };
    this.picture = async (id) => {
      const ref = Object.hasOwn(this.pictures, id) ? this.pictures[id] : '';
      return ref.startsWith('#') ? bundled(ref.slice(1)) : ref;
    };
  }

  static async read(name, boot) { return new Run(name, await unpacked(`${name}-run`), boot); }

  title(subtask) {
    for (const plan of [...this.plans].reverse()) {
      const found = plan.subtasks.find((one) => one.id === subtask);
      if (found) return String(found.title || found.instruction || subtask);
    }
    return subtask;
  }

  // The plan that held at an item, with the statuses of that moment.
  planAt(index) {
    const plans = this.plans.filter((plan) => plan.item <= index);
    const plan = plans.at(-1) || this.plans[0];
    if (!plan) return null;
    const now = new Map();
    for (const [item, subtask, status, attempt] of this.statuses) if (item <= index) now.set(subtask, {status, attempt});
    return {
      ...plan,
      subtasks: plan.subtasks.map((one) => ({...one, ...(now.get(one.id) || {status: one.status || 'ready', attempt: 0})})),
    };
  }

  // name -> fact, as the blackboard stood at an item.
  factsAt(index) {
    const board = new Map();
    for (const fact of this.facts) {
      if (fact.item > index) break;
      const before = board.get(fact.name);
      board.delete(fact.name);
      board.set(fact.name, {...fact, was: before ? before.value : null});
    }
    return board;
  }

  // How often each row of the machine was taken up to an item, and the situation then.
  walkAt(index) {
    const taken = new Map();
    let last = null;
    for (const [item, row] of this.machine.walk) {
      if (item > index) break;
      taken.set(row, (taken.get(row) || 0) + 1);
      last = row;
    }
    return {taken, last, situation: last === null ? this.machine.situations[0] : this.machine.rows[last][2]};
  }

  // Where a line is linked to.
  anchor(index) {
    const item = this.items[index];
    const own = item.kind === 'step' && this.steps.get(item.step) === index;
    return `${this.name === 'a' ? '' : `${this.name}-`}${own ? `step-${item.step}` : `item-${index + 1}`}`;
  }

  indexOf(kind, number) {
    if (kind === 'step') return this.steps.get(number) ?? this.items.findIndex((item) => item.step === number);
    return number >= 1 && number <= this.items.length ? number - 1 : -1;
  }
}

// The part of a run that somebody works on: consecutive items of a role on a subtask. What a person is asked belongs to it.
export function turnsOf(run) {
  const turns = [];
  let last = null;
  for (const item of run.items) {
    const aside = item.role === 'user' && last && item.subtask === last.subtask;
    if (!last || !(aside || (item.role === last.role && item.subtask === last.subtask && item.attempt === last.attempt))) {
      last = {role: item.role, subtask: item.subtask, attempt: item.attempt, from: item.index, to: item.index, failed: 0, waiting: 0};
      turns.push(last);
    }
    last.to = item.index;
    if (item.status === 'failed') last.failed += 1;
    if (item.status === 'waiting') last.waiting += 1;
  }
  return turns;
}
