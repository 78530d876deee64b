// The blackboard over time, time and tokens by role, and what is known of the run as a whole.

import {count, cut, el, seconds} from './dom.js';
import {roleClass} from './run.js';
import {fold} from './detail.js';

const table = (head, rows, caption) => el('div', {class: 'wide', tabindex: '0', role: 'group', 'aria-label': caption}, el('table', {},
  el('thead', {}, el('tr', {}, head.map((word) => el('th', {scope: 'col'}, word)))), el('tbody', {}, rows)));

export function boardPanel(run, index, {go}) {
  const board = [...run.factsAt(index).values()].reverse();
  const later = run.facts.filter((fact) => fact.item > index).length;
  return [
    el('h2', {}, 'Blackboard, at this line'),
    el('p', {class: 'quiet'}, `${board.length} known${later ? `, ${later} more to come` : ''}; newest first.`),
    board.length ? table(['Name', 'Value', 'From'], board.map((fact) => el('tr', {class: fact.item === index ? 'now' : ''},
      el('th', {scope: 'row'}, fact.name, fact.item === index ? el('span', {class: 'badge info'}, fact.was === null ? 'new' : 'changed') : null),
      el('td', {}, fact.was !== null && fact.was !== fact.value ? [el('del', {}, cut(fact.was, 200)), ' '] : null, cut(fact.value, 2000), fact.reason ? el('p', {class: 'quiet'}, cut(fact.reason, 300)) : null),
      el('td', {}, el('button', {type: 'button', class: 'link', onclick: () => go(Math.min(fact.item, run.items.length - 1))}, [fact.source_name || fact.source, fact.app, fact.subtask].filter(Boolean).join(' · ') || fact.role || 'run')))), 'Blackboard') : null,
  ];
}

export function usePanel(run) {
  const waited = run.roles.waiting?.seconds || 0;
  const roles = Object.entries(run.roles).filter(([role]) => role !== 'waiting').sort((one, other) => other[1].seconds - one[1].seconds);
  const whole = roles.reduce((sum, [, use]) => sum + use.seconds, 0) || 1;
  const calls = roles.some(([, use]) => use.calls);
  const line = el('div', {class: 'shares', role: 'img', 'aria-label': roles.map(([role, use]) => `${role} ${Math.round(use.seconds / whole * 100)} %`).join(', ')},
    roles.filter(([, use]) => use.seconds / whole > 0.002).map(([role, use]) => el('span', {class: `role-${roleClass(role)}`, title: `${role}: ${seconds(use.seconds)}`, style: {'flex-grow': String(use.seconds / whole)}})));
  return [
    el('h2', {}, 'Time and tokens by role'), line,
    table(['Role', 'Time', 'Share', 'Lines', 'Failed', ...(calls ? ['Calls', 'Tokens in', 'Tokens out', 'In models'] : [])],
      roles.map(([role, use]) => el('tr', {class: `role-${roleClass(role)}`},
        el('th', {scope: 'row'}, el('span', {class: 'swatch'}), role), el('td', {}, seconds(use.seconds)), el('td', {}, `${Math.round(use.seconds / whole * 100)} %`),
        el('td', {}, count(use.items)), el('td', {class: use.failed ? 'bad' : ''}, count(use.failed)),
        calls ? [use.calls, use.tokens_in, use.tokens_out].map((value) => el('td', {}, count(value))).concat(el('td', {}, seconds(use.model_seconds))) : null)), 'Time and tokens by role'),
    waited ? el('p', {}, `Besides, it waited ${seconds(waited)} for a person.`) : null,
    calls ? null : el('p', {class: 'quiet'}, 'No model was called in this run.'),
    budgets(run.head.budgets),
  ];
}

function budgets(told) {
  const rows = Object.entries(told || {}).filter(([, one]) => one && typeof one === 'object');
  if (!rows.length) return null;
  return [el('h3', {}, 'Budgets'), rows.map(([name, one]) => {
    const share = Math.min(1, Number(one.share) || 0), bar = el('span', {});
    bar.style.width = `${share * 100}%`;
    return el('div', {class: `budget${share >= 0.8 ? ' near' : ''}`}, el('span', {}, name), el('span', {class: 'gauge', 'aria-hidden': 'true'}, bar), el('span', {}, `${Math.round(one.used * 10) / 10} of ${one.limit}`));
  })];
}

export function aboutPanel(run) {
  const {head} = run;
  const rows = [['Run', head.run_id], ['Goal', head.goal], ['Task', head.task], ['World', head.world], ['Environment', head.environment], ['Seed', head.seed],
    ['Started', head.started ? new Date(head.started * 1000).toLocaleString() : ''], ['Took', seconds(head.seconds)], ['Status', head.status.replaceAll('_', ' ')], ['Why', head.reason]];
  return [
    el('h2', {}, 'This run'), el('dl', {}, rows.filter(([, value]) => value).map(([name, value]) => [el('dt', {}, name), el('dd', {}, value)])),
    head.notes.length ? [el('h3', {}, 'What is missing'), el('ul', {}, head.notes.map((note) => el('li', {}, note)))] : null,
    el('h3', {}, 'Again'), fold('Commands', `deskcrew show ${head.run_id}\ndeskcrew replay ${head.run_id}\ndeskcrew fork ${head.run_id} --at STEP`, true),
    head.settings.length ? [el('h3', {}, 'Settings that were not left as they are'), table(['Key', 'Value', 'Where'], head.settings.map(([key, value, where]) => el('tr', {}, el('th', {scope: 'row'}, key), el('td', {}, value), el('td', {}, where))), 'Settings')] : null,
  ];
}
