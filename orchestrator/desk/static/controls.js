// What one may do to a run at work: hold it, tell it something, take it into one's own hands, call it off.

import {el, fill, say} from './dom.js';
import {runPath, send} from './wire.js';

const ROLES = ['crew', 'manager', 'operator', 'technician', 'analyst', 'evaluator'];
// For each way a run can stand, what can be done to it.
const CAN = {
  running: ['pause', 'steer', 'takeover', 'cancel'], on_hold: ['steer', 'takeover', 'cancel'], paused: ['resume', 'steer', 'takeover', 'cancel'],
  interrupted: ['resume', 'steer', 'takeover', 'cancel'], taken_over: ['handback', 'cancel'],
};
const WORDS = {
  pause: ['Pause', 'It stops before its next action.'], resume: ['Resume', 'It goes on.'],
  steer: ['Steer', 'Your words reach the next decision of that role.', 'What you want to tell it'],
  takeover: ['Take over', 'It stops, and does nothing while you act.'],
  handback: ['Hand back', 'The crew looks at the screen anew and goes on.', 'What you did (may be empty)'],
  cancel: ['Cancel', 'The run ends before its next action. It cannot be resumed.', 'Why (may be empty)'],
};
const FIELD = {steer: 'words', handback: 'message', cancel: 'why'};

export class Controls {
  constructor(shell, id) {
    Object.assign(this, {shell, id, state: ''});
    this.node = el('div', {class: 'bar controls', role: 'group', 'aria-label': 'What to do with the run'});
    this.line = el('input', {type: 'text', id: 'act', placeholder: 'click "Save"   ·   fill "Amount" with "12"', autocomplete: 'off', spellcheck: 'false', onkeydown: (event) => { if (event.key === 'Enter') this.act(); }});
    this.told = el('p', {class: 'quiet', role: 'status'});
    this.hands = el('section', {class: 'hands', 'aria-label': 'By hand', hidden: true}, el('h2', {}, 'The run is in your hands'),
      el('p', {class: 'quiet'}, 'Press something on the screen to have it written here, or write an action; Enter does it.'),
      el('label', {for: 'act', class: 'hidden-but-read'}, 'An action'), el('div', {class: 'bar'}, this.line, el('button', {type: 'button', class: 'main', onclick: () => this.act()}, 'Do it')), this.told);
  }

  // Where one acts by hand: above the screen, and by pressing on it.
  screen(host, newest) {
    host.prepend(this.hands);
    host.addEventListener('click', async (event) => {
      const frame = event.target.closest?.('.frame');
      if (!frame || this.hands.hidden) return;
      const box = frame.getBoundingClientRect(), screen = await newest();
      if (!screen) return;
      const x = (event.clientX - box.left) / box.width * screen.size[0], y = (event.clientY - box.top) / box.height * screen.size[1];
      this.propose(screen, Math.round(x), Math.round(y));
    });
  }

  // The smallest thing with a name at that place.
  propose(screen, x, y) {
    const hit = screen.elements.filter(([x1, y1, x2, y2, , text]) => text && x1 <= x && x <= x2 && y1 <= y && y <= y2)
      .sort((one, other) => (one[2] - one[0]) * (one[3] - one[1]) - (other[2] - other[0]) * (other[3] - other[1]))[0];
    const name = hit ? JSON.stringify(hit[5]) : '';
    this.line.value = !hit ? `click at ${x}, ${y}` : ['textbox', 'searchbox', 'spinbutton', 'combobox'].includes(hit[4]) ? `fill ${name} with ""` : `click ${name}`;
    this.line.focus();
    if (this.line.value.endsWith('""')) this.line.setSelectionRange(this.line.value.length - 1, this.line.value.length - 1);
  }

  async act() {
    const action = this.line.value.trim();
    if (!action || this.busy) return;
    this.busy = true;
    this.told.textContent = 'doing it …';
    try {
      const done = await send(runPath(this.id, '/act'), {action});
      this.told.textContent = done?.error ? `It did not work: ${done.error}` : `Done: ${done?.said || action}`;
      this.line.value = '';
    } catch (bad) { this.told.textContent = bad.message; }
    this.busy = false;
    this.line.focus();
  }

  show(state, pending) {
    const now = `${state} ${Boolean(pending)}`;
    if (now === this.state) return;
    const had = this.node.contains(document.activeElement);
    this.state = now;
    const can = CAN[state] || [];
    fill(this.node, this.shell.may('operate') ? can.map((what) => el('button', {type: 'button', class: what === 'cancel' ? 'away' : '', title: WORDS[what][1], onclick: () => this.press(what)}, WORDS[what][0] + (WORDS[what][2] ? ' …' : ''))) : null);
    if (had) this.node.querySelector('button')?.focus();
    this.hands.hidden = state !== 'taken_over' || !this.shell.may('operate');
  }

  press(what) {
    if (WORDS[what][2]) this.sentence(what);
    else this.send(what, {});
  }

  async send(what, body) {
    for (const button of this.node.querySelectorAll('button')) button.disabled = true;
    const told = await this.shell.tried(() => send(runPath(this.id, `/${what}`), body));
    if (told) { this.shell.tell(told.said || ''); say(told.said || `${WORDS[what][0]}: done.`); }
    for (const button of this.node.querySelectorAll('button')) button.disabled = false;
    return told;
  }

  sentence(what) {
    const [title, means, label] = WORDS[what];
    const words = el('textarea', {id: 'control-words', rows: '3'}), to = el('select', {id: 'control-to'}, ROLES.map((role) => el('option', {value: role}, role)));
    const dialog = el('dialog', {'aria-labelledby': 'control-title'}, el('h2', {id: 'control-title'}, title), el('p', {class: 'quiet'}, means),
      what === 'steer' ? el('p', {class: 'field'}, el('label', {for: 'control-to'}, 'Whom'), to) : null,
      el('p', {class: 'field'}, el('label', {for: 'control-words'}, label), words),
      el('div', {class: 'bar'}, el('button', {type: 'button', class: what === 'cancel' ? 'away' : 'main', onclick: () => go()}, what === 'cancel' ? 'Yes, cancel the run' : title), el('button', {type: 'button', onclick: () => dialog.close()}, 'Back')));
    const go = async () => {
      if (what === 'steer' && !words.value.trim()) { words.focus(); return; }
      dialog.close();
      await this.send(what, {[FIELD[what]]: words.value.trim(), ...(what === 'steer' ? {to: to.value} : {})});
    };
    dialog.addEventListener('close', () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
    words.focus();
  }
}
