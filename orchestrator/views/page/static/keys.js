// Keys, and the help that lists them.

import {el} from './dom.js';

// What the help says; a page that can do more adds to it.
export const HELP = {about: 'Nothing on this page goes anywhere: it has no network, and what screens and models said is shown as text.', keys: [
  ['j, k', 'next, previous line'], ['J, K', 'next, previous turn of a role'], ['e, E', 'next, previous failure'], ['g, G', 'next, previous gate'],
  ['a', 'the screen before, after, or both'], ['b', 'the blackboard, and back'], ['1 … 6', 'step, plan, machine, blackboard, time, run'],
  ['/', 'search; Enter goes to the next hit'], ['c', 'compare, where there are two runs'], ['y', 'copy a link to this line'], ['Esc', 'leave search, or this help'], ['?', 'this help'],
]};

const typing = (event) => event.target instanceof HTMLElement && (event.target.matches('select, textarea') || (event.target.matches('input') && event.target.type !== 'checkbox'));

// `does` maps a key to what it does.
export function listen(does) {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.key === 'Escape' && typing(event)) { event.target.blur(); return; }
    if (typing(event) || document.querySelector('dialog[open]')) return;
    const act = does[event.key];
    if (act) { event.preventDefault(); act(); }
  });
}

let dialog = null;
export function help() {
  dialog ||= document.body.appendChild(el('dialog', {'aria-labelledby': 'help-title'},
    el('h2', {id: 'help-title'}, 'Keys'), el('dl', {}, HELP.keys.map(([key, what]) => [el('dt', {}, el('kbd', {}, key)), el('dd', {}, what)])),
    el('p', {class: 'quiet'}, HELP.about),
    el('button', {type: 'button', onclick: () => dialog.close()}, 'Close')));
  dialog.showModal();
}
