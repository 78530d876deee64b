// The machine with the walked path, and the plan as a graph. Both are drawn from data: places are worked out here.

import {cut, el, fill, plural, svg} from './dom.js';

const PLACES = {
  INIT: [75, 34], PLAN: [230, 34], SUPPLEMENT: [385, 34], GET_ACTION: [75, 140], QUALITY_CHECK: [385, 140],
  EXECUTE_ACTION: [75, 246], FINAL_CHECK: [385, 246], DONE: [230, 246],
};

// Known situations have their places; those of another table stand on a ring.
function placesOf(situations) {
  if (situations.every((name) => PLACES[name])) return PLACES;
  return Object.fromEntries(situations.map((name, at) => {
    const turn = 2 * Math.PI * at / situations.length - Math.PI / 2;
    return [name, [230 + 160 * Math.cos(turn), 140 + 106 * Math.sin(turn)]];
  }));
}

const spoken = (name) => String(name).replaceAll('_', ' ').toLowerCase();
const arrow = (id, className) => svg('marker', {id, viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: 'auto-start-reverse', class: className}, svg('path', {d: 'M0 0L8 4L0 8z'}));

export function machinePanel(run, index, {go}) {
  const {situations, rows, walk} = run.machine, {taken, last, situation} = run.walkAt(index), places = placesOf(situations);
  const edges = new Map();
  rows.forEach(([from, signal, to], row) => {
    const key = `${from}>${to}`, edge = edges.get(key) || edges.set(key, {from, to, rows: [], count: 0, last: false, signals: []}).get(key);
    edge.rows.push(row);
    edge.count += taken.get(row) || 0;
    edge.last ||= row === last;
    if (taken.get(row)) edge.signals.push(`${spoken(signal)} ×${taken.get(row)}`);
  });
  const drawn = [...edges.values()].filter((edge) => edge.count || !(edge.to === 'DONE' && edge.from !== 'PLAN' && edge.from !== 'FINAL_CHECK'))
    .sort((one, other) => one.count - other.count);
  const walked = drawn.filter((edge) => edge.count).sort((one, other) => other.count - one.count);
  const next = (edge) => {
    const found = walk.find(([item, row]) => item > index && edge.rows.includes(row)) || walk.find(([, row]) => edge.rows.includes(row));
    if (found) go(Math.min(found[0], run.items.length - 1));
  };
  const picture = svg('svg', {class: 'machine', viewBox: '0 0 460 280', role: 'img', 'aria-label': `The machine at ${situation}`},
    svg('defs', {}, arrow('tip', 'tip'), arrow('tip-walked', 'tip walked'), arrow('tip-now', 'tip now')),
    drawn.map((edge) => line(edge, places, next)),
    situations.map((name) => svg('g', {class: `situation${name === situation ? ' now' : ''}${drawn.some((edge) => edge.count && (edge.from === name || edge.to === name)) ? ' walked' : ''}`},
      svg('rect', {x: places[name][0] - 62, y: places[name][1] - 15, width: 124, height: 30, rx: 8}),
      svg('text', {x: places[name][0], y: places[name][1] + 4, 'text-anchor': 'middle'}, spoken(name)))));
  return [
    el('h2', {}, 'The machine, up to this line'), el('p', {class: 'quiet'}, `It stands at ${spoken(situation)} after ${plural([...taken.values()].reduce((a, b) => a + b, 0), 'transition')}.`),
    picture,
    el('table', {}, el('thead', {}, el('tr', {}, ['From', 'To', 'By'].map((word) => el('th', {scope: 'col'}, word)))),
      el('tbody', {}, walked.map((edge) => el('tr', {class: edge.last ? 'now' : ''}, el('td', {}, spoken(edge.from)), el('td', {}, el('button', {type: 'button', class: 'link', onclick: () => next(edge), title: 'Go to the next time'}, spoken(edge.to))), el('td', {}, edge.signals.join(', ')))))),
  ];
}

function line(edge, places, next) {
  const [x1, y1] = places[edge.from], [x2, y2] = places[edge.to], state = edge.last ? ' now' : edge.count ? ' walked' : '';
  const tip = `url(#tip${edge.last ? '-now' : edge.count ? '-walked' : ''})`;
  if (edge.from === edge.to) {
    const side = y1 < 140 ? -1 : 1;
    return group(edge, state, next, `M${x1 - 18} ${y1 + side * 15}C${x1 - 30} ${y1 + side * 40} ${x1 + 30} ${y1 + side * 40} ${x1 + 18} ${y1 + side * 15}`, tip, [x1, y1 + side * 30]);
  }
  const dx = x2 - x1, dy = y2 - y1, far = Math.hypot(dx, dy), bend = Math.min(24, far / 5.5);
  const mx = (x1 + x2) / 2 - dy / far * bend, my = (y1 + y2) / 2 + dx / far * bend;
  const [sx, sy] = rim(x1, y1, mx, my), [ex, ey] = rim(x2, y2, mx, my);
  return group(edge, state, next, `M${sx} ${sy}Q${mx} ${my} ${ex} ${ey}`, tip, [(sx + 2 * mx + ex) / 4, (sy + 2 * my + ey) / 4]);
}

const group = (edge, state, next, d, tip, [x, y]) => svg('g', {class: `edge${state}`, onclick: () => next(edge)}, svg('path', {d, 'marker-end': tip}),
  edge.count ? [svg('circle', {cx: x, cy: y, r: 8}), svg('text', {x, y: y + 3.5, 'text-anchor': 'middle'}, edge.count > 999 ? '1k+' : edge.count)] : null, svg('title', {}, `${edge.from} to ${edge.to}${edge.count ? `: ${edge.count} times, ${edge.signals.join(', ')}` : ': not walked'}`));

// Where a line towards (tx, ty) leaves the box around (x, y).
function rim(x, y, tx, ty) {
  const dx = tx - x, dy = ty - y, most = Math.min(64 / Math.abs(dx || 1e-6), 17 / Math.abs(dy || 1e-6));
  return [x + dx * Math.min(most, 1), y + dy * Math.min(most, 1)];
}

// How deep each subtask stands: behind all that it waits for.
function depths(subtasks) {
  const known = new Map(subtasks.map((one) => [one.id, one])), depth = new Map();
  const of = (id, above) => {
    if (depth.has(id)) return depth.get(id);
    if (above.has(id) || !known.has(id)) return -1;
    const before = [...(known.get(id).depends_on || [])].map((one) => of(one, new Set([...above, id])));
    const found = Math.max(-1, ...before) + 1;
    depth.set(id, found);
    return found;
  };
  subtasks.forEach((one) => of(one.id, new Set()));
  return depth;
}

const SIGN = {fulfilled: '✓', rejected: '✗', pending: '▸', ready: '·', on_hold: '?'};

export function planPanel(run, index, {go}) {
  const now = run.planAt(index);
  if (!now) return [el('h2', {}, 'Plan'), el('p', {class: 'quiet'}, 'There was no plan.')];
  const host = el('div', {});
  const show = (plan, current) => fill(host, graph(plan.subtasks), plan.reason ? el('p', {class: 'said'}, plan.reason) : null,
    el('ol', {class: 'subtasks'}, plan.subtasks.map((one) => subtask(run, one, current, go))));
  const versions = run.plans.map((plan) => el('button', {
    type: 'button', 'aria-pressed': String(plan.version === now.version), onclick: (event) => {
      for (const button of versions) button.setAttribute('aria-pressed', String(button === event.currentTarget));
      show(plan.version === now.version ? now : plan, plan.version === now.version);
    },
  }, `v${plan.version}`));
  show(now, true);
  return [el('h2', {}, `Plan ${now.version} of ${run.plans.length}, at this line`), run.plans.length > 1 ? el('div', {class: 'bar', role: 'group', 'aria-label': 'Version of the plan'}, versions) : null, host,
    ...(now.ledger?.length ? [el('h2', {}, 'What the goal asks for'), el('ul', {class: 'ledger'}, now.ledger.map((line) => el('li', {}, line)))] : [])];
}

function subtask(run, one, current, go) {
  const first = run.items.find((item) => item.subtask === one.id);
  return el('li', {class: `is-${one.status}`}, el('b', {}, `${SIGN[one.status] || '·'} ${one.id} `), first ? el('button', {type: 'button', class: 'link', onclick: () => go(first.index)}, cut(one.title || one.instruction, 200)) : cut(one.title || one.instruction, 200),
    el('span', {class: 'quiet'}, ` ${one.status}${one.attempt > 1 ? `, attempt ${one.attempt}` : ''}${one.app ? ` · ${one.app}` : ''} · ${one.worker || 'operator'}${one.pinned ? ' · pinned' : ''}${current ? '' : ' (as planned then)'}`));
}

export function graph(subtasks) {
  const depth = depths(subtasks), columns = [];
  for (const one of subtasks) (columns[Math.max(0, depth.get(one.id) ?? 0)] ||= []).push(one);
  const wide = 150, high = 44, tall = Math.max(1, ...columns.map((column) => column?.length || 0)) * (high + 14) + 6, at = new Map();
  columns.forEach((column, x) => (column || []).forEach((one, y) => at.set(one.id, [x * (wide + 36) + 4, y * (high + 14) + 6 + (tall - column.length * (high + 14)) / 2])));
  const across = columns.length * (wide + 36) - 28;
  const picture = svg('svg', {viewBox: `0 0 ${across} ${tall}`, width: across, height: tall, role: 'img', 'aria-label': `The plan as a graph of ${plural(subtasks.length, 'subtask')}`},
    svg('defs', {}, arrow('plan-tip', 'tip')),
    subtasks.flatMap((one) => (one.depends_on || []).filter((other) => at.has(other)).map((other) => {
      const [x1, y1] = at.get(other), [x2, y2] = at.get(one.id), mid = (x1 + wide + x2) / 2;
      return svg('path', {class: 'needs', d: `M${x1 + wide} ${y1 + high / 2}C${mid} ${y1 + high / 2} ${mid} ${y2 + high / 2} ${x2 - 2} ${y2 + high / 2}`, 'marker-end': 'url(#plan-tip)'});
    })),
    subtasks.map((one) => {
      const [x, y] = at.get(one.id);
      return svg('g', {class: `subtask is-${one.status}`}, svg('title', {}, one.instruction || one.title), svg('rect', {x, y, width: wide, height: high, rx: 7}),
        svg('text', {x: x + 9, y: y + 17, class: 'id'}, `${SIGN[one.status] || '·'} ${cut(one.id, 14)}${one.app ? ` · ${cut(one.app, 12)}` : ''}`),
        svg('text', {x: x + 9, y: y + 34}, cut(String(one.title || '').replace(/^[^:]{1,30}: /, ''), 20)));
    }));
  return el('div', {class: 'graph', tabindex: '0', role: 'group', 'aria-label': 'Plan as a graph'}, picture);
}
