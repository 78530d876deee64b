// Opens the page: its runs, and where the address points.

import {boot, reader, unpacked} from './blocks.js';
import {Desk} from './desk.js';
import {el, fill} from './dom.js';
import {Run} from './run.js';

async function read(name, told) {
  const run = await unpacked(`${name}-run`);
  return new Run(name, run, reader(name, run, told));
}

async function open() {
  const told = boot();
  const runs = await Promise.all(told.runs.map((name) => read(name, told)));
  const desk = new Desk(runs, runs.length > 1 ? await unpacked('pairs') : null);
  desk.show('step');
  if (!desk.follow()) {
    desk.pick(desk.pairs ? null : runs[0]);
    if (!desk.comparing) desk.choose(runs[0].head.opens_at, {quiet: true});
  }
  document.documentElement.dataset.ready = 'yes';
  performance.mark('listed');
}

open().catch((bad) => {
  fill(document.getElementById('main'), el('p', {class: 'bad', role: 'alert'}, 'This page cannot show its run: ', String(bad?.message || bad)));
  document.documentElement.dataset.ready = 'no';
});
