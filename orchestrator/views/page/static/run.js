// One run: its items at once, its details and screens on demand, and what was so at any moment of it.

export const ROLES = ['controller', 'manager', 'operator', 'technician', 'analyst', 'evaluator', 'user'];
export const roleClass = (role) => (ROLES.includes(role) ? role : role === 'waiting' ? 'user' : 'other');
export const SIGNS = {ok: '✓', failed: '✗', warn: '!', waiting: '?', info: '·'};
export const STATUS_WORDS = {ok: 'done', failed: 'failed', warn: 'with trouble', waiting: 'waiting', info: ''};

export class Run {
  // `reads` gives details, screens and pictures when they are wanted; it alone knows where from.
  constructor(name, told, reads) {
    Object.assign(this, told, {name, items: [], steps: new Map()});
    this.perBlock = reads.perBlock;
    for (const what of ['detail', 'detailBlock', 'screen', 'picture', 'part']) this[what] = reads[what];
    this.put(0, told.items);
  }

  // Take items in, from one place on; what stood there and behind it goes.
  put(from, rows) {
    this.items.length = from;
    for (const values of rows) {
      const item = {index: this.items.length};
      this.fields.forEach((field, at) => { item[field] = values[at]; });
      this.items.push(item);
    }
    this.steps.clear();
    for (const item of this.items) {
      if (item.step && item.kind === 'step' && !this.steps.has(item.step)) this.steps.set(item.step, item.index);
    }
  }

  get detailBlocks() { return Math.ceil(this.items.length / this.perBlock); }

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
