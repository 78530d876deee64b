// Turns what a person does with the page into actions of the protocol.

import {controlOf, drafts, nodeOf, paneOf, screen, scrolled, sync} from './draw.js';
import {perform} from './wire.js';

const desk = document.getElementById('desk');
const PAUSE = 1000;  // ms without a key after which what was written is sent, if nothing sent it before
const TWICE = 250;  // ms in which a second click makes a double click
const REST = 80;  // ms for which a pointer rests on something before it hovers
const LONG = 500;  // ms after which a press is a long one
const FAR = 40;  // px that a finger goes in a swipe

const target = (track) => ({track_id: track});
const modifiers = (e) => [['Control', e.ctrlKey], ['Alt', e.altKey], ['Shift', e.shiftKey], ['Meta', e.metaKey]]
  .filter(([, down]) => down).map(([name]) => name);
const writes = (el) => el instanceof HTMLTextAreaElement ||
  (el instanceof HTMLInputElement && !['checkbox', 'range', 'button'].includes(el.type));

// Everything goes out through here: first what is still waiting, then the action itself.
export function act(action, {focus = true, caret = false} = {}) {
  flush();
  send(action, focus, caret);
}
function send(action, focus, caret) {
  const touched = [action.target, action.to].filter(Boolean).map((t) => t.track_id);
  perform(action, () => {
    touched.forEach(sync);
    scrolled();
    if (focus && !drafts.size) focusAsWorld(caret);
  });
}
function flush() {
  if (single) { clearTimeout(single.timer); single.go(); }
  for (const track of [...drafts.keys()]) fill(track);
  for (const view of moved) scroll(view);
}

function focusAsWorld(caret) {
  const el = nodeOf(screen.head.focus), active = document.activeElement;
  if (!el) {
    if (active && desk.contains(active) && active !== document.body) active.blur();
    return;
  }
  if (el !== active) el.focus({preventScroll: true});
  if (caret && writes(el) && typeof el.selectionStart === 'number') {
    const {caret: to, anchor} = screen.head, from = anchor ?? to;
    el.setSelectionRange(Math.min(from, to), Math.max(from, to), from > to ? 'backward' : 'forward');
  }
}

// --- writing: one action for a text, not one for each key

let timer = 0, keyed = false;
function fill(track, submit = false) {
  const el = nodeOf(track);
  drafts.delete(track);
  clearTimeout(timer);
  if (!el || el.value === (screen.controls.get(track)?.value || '')) return false;
  send({action_type: 'fill', target: target(track), text: el.value, ...(submit ? {submit} : {})}, submit, submit);
  return true;
}
desk.addEventListener('input', (e) => {
  const el = e.target;
  if (!writes(el) || !el.id) return;
  drafts.set(el.id, true);
  clearTimeout(timer);
  // What comes without a key is whole at once: a paste, a spoken word, an arrow of a number field, a program.
  if (!keyed && !e.isComposing) { fill(el.id); return; }
  timer = setTimeout(() => fill(el.id), PAUSE);
});
desk.addEventListener('focusout', (e) => { if (drafts.has(e.target.id)) fill(e.target.id); });
desk.addEventListener('change', (e) => {
  const el = e.target;
  if (el instanceof HTMLSelectElement) {
    const option = el.options[el.selectedIndex];
    if (option) act({action_type: 'select_option', target: target(el.id), options: [option.label]});
  } else if (el.type === 'range') {
    act({action_type: 'fill', target: target(el.id), text: el.value});
  }
});
addEventListener('pagehide', flush);

// --- pressing

let single = null, pressed = null;
desk.addEventListener('pointerdown', (e) => {
  pressed = {at: e.timeStamp, x: e.clientX, y: e.clientY, focus: screen.head.focus, track: controlOf(e.target)};
  clearTimeout(rest);
}, true);

function below(e) {
  // A message takes no clicks: what lies below it gets them.
  return document.elementsFromPoint(e.clientX, e.clientY)
    .find((el) => desk.contains(el) && !el.closest('[data-part=messages]')) || e.target;
}

desk.addEventListener('click', (e) => {
  const button = e.target.closest('[data-window],[data-launch]');
  if (button) { own(button); return; }
  const track = controlOf(e.target.closest('[data-part=messages]') ? below(e) : e.target);
  const el = track && nodeOf(track);
  // The world moves, ticks and follows; the page only shows that it did.
  if (!(el instanceof HTMLSelectElement)) e.preventDefault();
  if (!track || swiped) return;
  const held = pressed && e.detail && e.timeStamp - pressed.at > LONG ? (e.timeStamp - pressed.at) / 1000 : 0;
  press(e, track, el, e.detail || 1, held);
});

function press(e, track, el, count, held) {
  const held_ = held ? {hold: Math.round(held * 100) / 100} : {};
  const keys = modifiers(e), action = {action_type: 'click', target: target(track), ...(keys.length ? {modifiers: keys} : {}), ...held_};
  const opens = el.closest('[data-opens]'), field = writes(el);
  if (single && single.track === track && count > 1) {
    clearTimeout(single.timer);
    single = null;
    act({...action, count: Math.min(count, 3)}, {caret: true});
    return;
  }
  if (opens && count === 1) {
    flush();
    const go = () => { single = null; act(action); };
    single = {track, go, timer: setTimeout(go, TWICE)};
    return;
  }
  const several = count > 1 && (field || !el.closest('button,a,input,select,[tabindex]'));
  // A first press into a field puts the caret where the world has it; the next one where the pointer is.
  const enters = field && pressed?.focus !== track && el.selectionStart === el.selectionEnd;
  if (field) el.focus({preventScroll: true});
  act(several ? {...action, count: Math.min(count, 3)} : action, {caret: several || enters});
}

desk.addEventListener('contextmenu', (e) => {
  e.preventDefault();
  const track = controlOf(e.target);
  if (track) act({action_type: 'click', target: target(track), button: 'right'});
});
desk.addEventListener('auxclick', (e) => {
  const track = controlOf(e.target);
  if (e.button !== 1 || !track) return;
  e.preventDefault();
  act({action_type: 'click', target: target(track), button: 'middle'});
});
desk.addEventListener('submit', (e) => e.preventDefault());

// What is the desktop's own: the task bar, and the buttons of a window.
function own(button) {
  const {launch, window: what, app} = button.dataset;
  if (launch) { act({action_type: 'launch_app', app: launch}); return; }
  const pane = screen.panes.find((one) => one.app === app);
  if (!pane?.front) act({action_type: 'switch_window', window: `win-${app}`});
  const chord = {close: ['Alt', 'F4'], down: ['Meta', 'ArrowDown'], up: ['Meta', 'ArrowUp']}[what];
  act({action_type: 'press_key', keys: chord});
}

// --- keys

const SILENT = new Set(['Control', 'Alt', 'Shift', 'Meta', 'AltGraph', 'CapsLock', 'NumLock', 'ScrollLock', 'Dead', 'Process',
  'Unidentified', 'F5', 'F11', 'F12']);
addEventListener('keydown', (e) => {
  const el = e.target, inside = desk.contains(el) || el === document.body;
  keyed = true;
  if (!inside || e.isComposing || SILENT.has(e.key)) return;
  const held = modifiers(e), chord = held.some((name) => name !== 'Shift') && !e.getModifierState('AltGraph');
  if (chord) { if (!browsers(e)) chorded(e, el, held); return; }
  if (!(e.key === 'Enter' && el instanceof HTMLTextAreaElement) && ['Enter', 'Escape', 'Tab'].includes(e.key)) {
    key(e, el, held);
  } else if (!writes(el) && el.type !== 'range' && !(el instanceof HTMLSelectElement) &&
      (e.key.length > 1 || screen.head.focus || e.key === ' ')) {
    key(e, el, held);
  }
}, true);
addEventListener('keyup', () => { keyed = false; }, true);
addEventListener('blur', () => { keyed = false; });

// Chords that belong to the browser around the page.
const browsers = (e) => ((e.ctrlKey || e.metaKey) && (['+', '-', '0', 'r', 'R'].includes(e.key) ||
  (e.shiftKey && e.key.length === 1 && 'ijcnt'.includes(e.key.toLowerCase()))));

function key(e, el, held) {
  e.preventDefault();
  const name = e.key === ' ' ? 'Space' : e.key;
  // What was written and its Enter are one action, as they are for a crew.
  if (name === 'Enter' && !held.length && drafts.size === 1 && drafts.has(el.id) && !single && fill(el.id, true)) return;
  const keys = [...(name.length > 1 ? held : held.filter((one) => one !== 'Shift')), name];
  const at = controlOf(el), elsewhere = at && at !== screen.head.focus && el !== document.body && !drafts.has(at);
  act({action_type: 'press_key', keys, ...(elsewhere && !['Tab', 'Escape'].includes(name) ? {target: target(at)} : {})}, {caret: true});
}

function chorded(e, el, held) {
  const letter = e.key.toLowerCase(), edits = (e.ctrlKey || e.metaKey) && !e.altKey && writes(el);
  const start = el.selectionStart, end = el.selectionEnd;
  if (edits && (letter === 'c' || letter === 'x') && start !== end && end - start < el.value.length) {
    e.preventDefault();
    dispatchEvent(new CustomEvent('deskcrew-said', {detail: 'This desktop copies a whole field: press Control+A first.'}));
    return;
  }
  if (edits && letter === 'v' && (start !== screen.head.caret || drafts.has(el.id)) && screen.head.clipboard &&
      !(start === 0 && end === el.value.length)) {
    // Somewhere else than where the world's caret stands: the text is put in here, and sent as what the field then holds.
    e.preventDefault();
    const text = screen.head.clipboard;
    el.setRangeText(el instanceof HTMLTextAreaElement ? text : text.split('\n').join(' '), start, end, 'end');
    drafts.set(el.id, true);
    fill(el.id);
    return;
  }
  e.preventDefault();
  const whole = edits && letter !== 'a' && start === 0 && end === el.value.length && end > 0;
  if (whole && screen.head.anchor === null) act({action_type: 'press_key', keys: ['Control', 'a']}, {caret: true});
  act({action_type: 'press_key', keys: [...held, e.key === ' ' ? 'Space' : e.key]}, {caret: true});
}

// --- scrolling, which the browser does by itself

const moved = new Set();
let late = 0;
desk.addEventListener('scroll', (e) => {
  const pane = paneOf(e.target);
  if (!pane || Math.abs(e.target.scrollTop - pane.scroll) < 1) return;
  moved.add(e.target);
  clearTimeout(late);
  late = setTimeout(() => { for (const view of [...moved]) scroll(view); }, REST);
}, true);
function scroll(view) {
  moved.delete(view);
  const pane = paneOf(view), by = pane ? Math.round(view.scrollTop - pane.scroll) : 0;
  if (!by) return;
  const inside = pane.front ? null : view.querySelector('[id]');
  send({action_type: 'scroll', delta: {y: by}, unit: 'px', ...(inside ? {target: target(inside.id)} : {})}, false, false);
}

// --- dragging, hovering, swiping

let dragged = null;
desk.addEventListener('dragstart', (e) => {
  const el = e.target.closest && e.target.closest('[draggable=true]');
  if (!el) { e.preventDefault(); return; }
  dragged = el.id;
  e.dataTransfer.setData('text/plain', el.id);
  e.dataTransfer.effectAllowed = 'move';
});
desk.addEventListener('dragover', (e) => { if (dragged && e.target.closest('[data-drop]')) e.preventDefault(); });
desk.addEventListener('drop', (e) => {
  e.preventDefault();
  const onto = controlOf(e.target);
  if (dragged && onto) act({action_type: 'drag', target: target(dragged), to: target(onto)});
  dragged = null;
});
desk.addEventListener('dragend', () => { dragged = null; });

let rest = 0, hovered = null, from = null;
desk.addEventListener('pointermove', (e) => {
  // A page that changes under a pointer that stands still is no hovering.
  if (from && from.x === e.clientX && from.y === e.clientY) return;
  from = {x: e.clientX, y: e.clientY};
  const el = e.target.closest('[data-hovers]'), at = el ? el.id : null;
  clearTimeout(rest);
  if (at === hovered) return;
  if (el) {
    rest = setTimeout(() => { hovered = at; hover(at); }, REST);
  } else if (hovered && !e.target.closest('[data-floats],[aria-expanded]')) {
    // What opened by itself closes again when the pointer has gone elsewhere.
    const away = controlOf(e.target);
    if (away) rest = setTimeout(() => { hovered = null; if (desk.querySelector('[data-floats]')) hover(away); }, 3 * REST);
  }
});
const hover = (track) => act({action_type: 'hover', target: target(track)}, {focus: false});

let swiped = false;
addEventListener('pointerup', (e) => {
  swiped = false;
  const el = pressed?.track && nodeOf(pressed.track)?.closest('[data-swipes]');
  if (!el || Math.hypot(e.clientX - pressed.x, e.clientY - pressed.y) < FAR) return;
  swiped = true;
  const box = desk.getBoundingClientRect(), scale = box.width / screen.head.size[0];
  const at = (x, y) => ({x: Math.round((x - box.left) / scale), y: Math.round((y - box.top) / scale)});
  // From where the finger came down, not from the middle of what it went over.
  act({action_type: 'drag', target: {...target(el.id), point: at(pressed.x, pressed.y)}, to: {point: at(e.clientX, e.clientY)}});
  setTimeout(() => { swiped = false; }, 0);
}, true);
