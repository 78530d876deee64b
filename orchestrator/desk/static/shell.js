// What is around every page: where one can go, who one is, how the connection stands; and the page itself.

import {el, fill, place, say} from './dom.js';
import {Stream, ask} from './wire.js';

const PLACES = [['/', 'Runs'], ['/approvals', 'Approvals'], ['/start', 'Start']];
const PAGES = [
  [/^\/$/, () => import('./runs.js')], [/^\/runs\/([^/]+)$/, () => import('./live.js')], [/^\/runs\/([^/]+)\/plan$/, () => import('./review.js')],
  [/^\/approvals$/, () => import('./approvals.js')], [/^\/start$/, () => import('./start.js')],
];
const WORDS = {live: 'live', lost: 'connection lost; trying again', refused: 'the server knows this token no longer', over: 'ended', waits: 'connecting'};
const SELDOM = 10_000;  // ms between two looks at what waits that nothing in the list has told of: a run at work may ask, too
const ROLES = ['view', 'approve', 'operate'];

class Shell {
  constructor(me) {
    this.me = me;
    this.heard = new Set();
    this.states = new Map();
    this.count = el('span', {class: 'count', hidden: true});
    this.light = el('span', {class: 'light waits', role: 'status'}, WORDS.waits);
    const here = location.pathname;
    const links = PLACES.map(([href, title]) => el('a', {href, 'aria-current': here === href || (href === '/' && here.startsWith('/runs/')) ? 'page' : null}, title, href === '/approvals' ? this.count : null));
    fill(document.getElementById('bar'), el('a', {class: 'skip', href: '#main'}, 'To the page'), el('b', {class: 'brand'}, 'deskcrew'),
      el('nav', {'aria-label': 'Pages'}, links), this.light,
      el('span', {class: 'me', title: `You may ${me.role}.`}, me.name, el('span', {class: 'quiet'}, ` · ${me.role}`)));
    this.notice = el('div', {class: 'notice', role: 'alert', hidden: true});
    document.getElementById('bar').after(this.notice);
  }

  may(role) { return ROLES.indexOf(this.me.role) >= ROLES.indexOf(role); }

  // The connection is as good as the worst of its streams.
  stands(name, state) {
    this.states.set(name, state);
    const all = [...this.states.values()], now = ['refused', 'lost', 'live', 'over'].find((one) => all.includes(one)) || 'waits';
    if (now === this.now) return;
    const was = this.now;
    this.now = now;
    this.light.className = `light ${now}`;
    this.light.textContent = WORDS[now];
    if (now === 'refused') this.tell('The server knows this token no longer. Open the address that it printed when it was started.', 'failed');
    if (now === 'lost') this.tell('The connection is lost. What you see is how it was; the page goes on by itself.', 'warn');
    else if (was === 'lost' && now !== 'refused') this.tell('');
  }

  tell(text, tone = '') {
    this.notice.hidden = !text;
    this.notice.className = `notice ${tone}`;
    this.notice.textContent = '';
    if (text) this.notice.append(document.createTextNode(text));
  }

  // A question to the server whose answer is said, if it is a refusal; null then.
  async tried(question) {
    try { return await question(); } catch (bad) {
      // Where the connection is lost that is said already, with what becomes of it.
      if (this.now !== 'lost' || bad.status) this.tell(bad.message, 'failed');
      return null;
    }
  }

  // `hear` is told whenever a row of the list of runs is another one, with null when the list is to be read anew, and whether
  // that concerns what people are asked.
  listen(hear) { this.heard.add(hear); }

  watch() {
    const waiting = async () => {
      const told = await ask('/api/approvals').catch(() => null);
      if (!told) return;
      const number = told.approvals.length;
      this.count.hidden = !number;
      this.count.textContent = number;
      document.title = `${number ? `(${number}) ` : ''}${this.title}`;
      if (number > (this.number ?? number)) say('A run waits for you.');
      this.number = number;
    };
    let due = 0;
    const soon = () => { due ||= setTimeout(() => { due = 0; waiting(); }, 200); };
    const waits = new Map();
    const rows = (told) => {
      const since = told?.waiting?.since ?? 0, asks = !told || since !== (waits.get(told.id) ?? 0);
      if (told) waits.set(told.id, since);
      if (asks) soon();
      for (const hear of this.heard) hear(told, asks);
    };
    waiting();
    setInterval(() => { if (!document.hidden) soon(); }, SELDOM);
    new Stream('/api/stream', {runs: rows, again: () => rows(null), seen: () => {}}, (state) => {
      if (state === 'live' && this.states.get('list') === 'lost') rows(null);
      this.stands('list', state);
    });
  }

  named(title) {
    this.title = `${title} · deskcrew`;
    document.title = this.title;
  }
}

async function open() {
  const me = await ask('/api/me'), shell = new Shell(me);
  const [found, load] = PAGES.map(([pattern, get]) => [pattern.exec(location.pathname), get]).find(([match]) => match) || [];
  if (!load) throw new Error('There is no such page.');
  shell.named('deskcrew');
  shell.watch();
  const page = await load();
  await page.open(shell, ...found.slice(1).map(decodeURIComponent));
  document.documentElement.dataset.ready = 'yes';
}

open().catch((bad) => {
  const body = document.getElementById('main') || place('This page cannot be shown');
  body.append(el('p', {class: 'bad', role: 'alert'}, String(bad?.message || bad), ' ', el('a', {href: '/'}, 'To the runs')));
  document.documentElement.dataset.ready = 'no';
});
