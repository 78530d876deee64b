// The page: the desktop, and a bar below it that is no part of the world.

import {act} from './acts.js';
import {draw, screen} from './draw.js';
import {ask, start} from './wire.js';

const desk = document.getElementById('desk'), bar = document.getElementById('bar');
const part = (name) => document.getElementById(`bar-${name}`);
const tasks = document.createElement('nav');
tasks.setAttribute('aria-label', 'Task bar');
tasks.dataset.part = 'tasks';
desk.append(tasks);

function say(text, good = false) {
  const said = part('said');
  if (said.textContent !== text) said.textContent = text;
  said.dataset.good = good ? 'yes' : 'no';
}

function taskBar(apps) {
  tasks.replaceChildren(...apps.filter((app) => !known(app)).map(button), ...tasks.children);
  apps.forEach((app, at) => {
    const el = known(app);
    if (tasks.children[at] !== el) tasks.insertBefore(el, tasks.children[at] || null);
    el.dataset.state = app.front ? 'front' : app.minimized ? 'away' : app.open ? 'open' : '';
  });
}
const known = (app) => [...tasks.children].find((el) => el.dataset.launch === app.app);
function button(app) {
  const el = document.createElement('button');
  el.type = 'button';
  el.dataset.launch = app.app;
  el.dataset.title = app.title;
  el.dataset.letter = app.title[0];
  el.setAttribute('aria-label', `Open ${app.title}`);
  return el;
}

// A window of just the desktop's size shows it as it is; a smaller one shows it smaller.
function fit() {
  const [width, height] = screen.head.size || [0, 0];
  if (!width) return;
  bar.style.width = `${Math.max(360, Math.min(width, innerWidth))}px`;
  const exact = innerWidth === width && innerHeight === height;
  const scale = exact ? 1 : Math.min(1, innerWidth / width, innerHeight / (height + bar.offsetHeight));
  const transform = scale < 1 ? `scale(${scale})` : '';
  if (desk.style.transform !== transform) desk.style.transform = transform;
  bar.style.top = `${height * scale}px`;
  bar.style.width = `${Math.max(360, width * scale)}px`;
}

addEventListener('deskcrew-head', () => {
  const {head} = screen;
  taskBar(head.apps);
  part('goal').textContent = head.goal || `The world “${head.world}”`;
  part('clock').textContent = `${head.clock.toFixed(1)} s`;
  part('done').hidden = part('not').hidden = !head.judged;
  fit();
});
addEventListener('resize', fit);
addEventListener('deskcrew-said', (e) => say(e.detail));

part('wait').addEventListener('click', () => act({action_type: 'wait', seconds: 5}, {focus: false}));
part('reset').addEventListener('click', async () => { if (await ask('/reset', {})) say(''); });
for (const [name, status] of [['done', 'fulfilled'], ['not', 'rejected']]) {
  part(name).addEventListener('click', async () => {
    const verdict = await ask('/finish', {status});
    if (!verdict) return;
    const open = verdict.checks.filter((check) => !check.passed).length;
    say(verdict.passed ? 'Passed.' : `Not passed: ${open} of ${verdict.checks.length} checks do not hold.`, verdict.passed);
  });
}

start(draw, say);
