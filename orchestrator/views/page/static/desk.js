// The parts of a run's page put together; what is chosen is in the address, so that it can be linked to.

import {Compare} from './compare.js';
import {detailPanel} from './detail.js';
import {machinePanel, planPanel} from './diagrams.js';
import {cut, el, fill, plural, say} from './dom.js';
import {filtering, found, lookBehind} from './find.js';
import {headLine, Wishes} from './head.js';
import {help, listen} from './keys.js';
import {Stage} from './screen.js';
import {Strip} from './strip.js';
import {aboutPanel, boardPanel, usePanel} from './tables.js';
import {Tree} from './tree.js';

const TABS = [['step', 'Step'], ['plan', 'Plan'], ['machine', 'Machine'], ['board', 'Blackboard'], ['use', 'Time'], ['about', 'Run']];

export class Desk {
  // `head` draws the top of the page; `moved` hears which line a person goes to.
  constructor(runs, pairs, {head = headLine, moved = () => {}} = {}) {
    Object.assign(this, {runs, pairs, head, moved, live: false, run: runs[0], at: 0, tab: 'step', behind: new Set()});
    const main = document.getElementById('main');
    this.one = el('div', {class: 'one'});
    this.two = el('div', {class: 'two', hidden: true});
    main.append(this.one, this.two);
    this.left = el('section', {class: 'left', 'aria-label': 'Lines'});
    this.middle = el('section', {class: 'middle', 'aria-label': 'Screen'});
    this.right = el('section', {class: 'right', 'aria-label': 'Details'});
    this.one.append(this.left, this.middle, this.right);
    const choose = (index) => this.choose(index);
    this.wishes = new Wishes(this.left, {changed: (wish) => this.filter(wish), next: (by) => this.move(by)});
    this.tree = new Tree(this.left, {choose});
    this.stage = new Stage(this.middle);
    this.strip = new Strip(document.getElementById('strip'), {choose, range: (from, to) => this.wishes.only(from, to)});
    this.makeTabs();
    this.keys();
    addEventListener('hashchange', () => this.follow());
  }

  makeTabs() {
    this.tabs = new Map(TABS.map(([name, title], at) => [name, el('button', {
      type: 'button', role: 'tab', id: `tab-${name}`, 'aria-controls': 'panel', 'aria-selected': 'false', tabindex: '-1', title: `${title} (${at + 1})`,
      onclick: () => this.show(name), onkeydown: (event) => {
        const by = {ArrowRight: 1, ArrowLeft: -1}[event.key];
        if (!by) return;
        this.show(TABS[(at + by + TABS.length) % TABS.length][0]);
        this.tabs.get(this.tab).focus();
        event.preventDefault();
      },
    }, title)]));
    this.panel = el('div', {id: 'panel', role: 'tabpanel', tabindex: '0', 'aria-labelledby': 'tab-step'});
    this.right.append(el('div', {class: 'tabs', role: 'tablist', 'aria-label': 'About this line'}, [...this.tabs.values()]), this.panel);
  }

  keys() {
    const kinds = (test) => (by) => () => this.seek(by, test);
    const failed = kinds((item) => item.status === 'failed'), gate = kinds((item) => item.kind === 'gate');
    const move = (by) => () => (this.comparing ? this.compare.step(by) : this.move(by));
    const either = (one, other) => () => (this.comparing ? other() : one());
    const does = {
      j: move(1), k: move(-1), J: () => this.turn(1), K: () => this.turn(-1), g: gate(1), G: gate(-1), a: () => this.stage.turn(),
      e: either(failed(1), () => this.compare.nextDifference()), E: either(failed(-1), () => this.compare.nextDifference(true)),
      b: () => this.show(this.tab === 'board' ? 'step' : 'board'), y: () => this.link(), '?': help, c: () => this.pick(this.comparing ? this.run : null),
      '/': () => { this.wishes.search.focus(); this.wishes.search.select(); },
    };
    TABS.forEach(([name], at) => { does[String(at + 1)] = () => this.show(name); });
    listen(does);
  }

  // Show a run from its beginning; `null` compares both.
  pick(run) {
    if (run === null && !this.pairs) return;
    this.comparing = run === null;
    this.one.hidden = this.comparing;
    this.two.hidden = !this.comparing;
    document.getElementById('strip').hidden = this.comparing;
    if (run && run !== this.run || !this.indices) {
      this.run = run || this.run;
      this.at = this.run.head.opens_at;
      this.wishes.for(this.run);
      this.filter(this.wishes.wish);
    }
    this.top();
    if (this.comparing) {
      this.compare ||= new Compare(this.two, this.runs, this.pairs, {open: (one, index) => { this.pick(one); this.choose(index); }});
      this.compare.choose(this.compare.at);
    }
  }

  // More of the run is known: rows from one place on, and whatever else is told of it.
  grow(from, rows, told) {
    Object.assign(this.run, told);
    this.run.put(from, rows);
    this.wishes.know(this.run);
    this.at = Math.min(this.at, Math.max(0, this.run.items.length - 1));
    this.arrange(this.wishes.wish);
    this.top();
  }

  top() {
    const told = {compare: this.comparing, help, runs: this.runs, pick: (one) => { this.pick(one); if (one) this.choose(this.at); }};
    this.head(document.getElementById('head'), this.run, told);
  }

  filter(wish) {
    const sought = wish.text;
    if (sought !== this.sought) this.behind = new Set();
    this.sought = sought;
    this.arrange(wish);
    if (sought.length < 2) return;
    lookBehind(this.run, sought, () => this.sought === sought, (hits, share) => {
      this.behind = hits;
      this.arrange(this.wishes.wish, share);
    });
  }

  arrange(wish, share = 1) {
    this.indices = found(this.run, wish, this.behind);
    this.tree.show(this.run, this.indices);
    this.strip.show(this.run, this.indices);
    this.tree.select(this.at);
    this.strip.select(this.at);
    const part = wish.to === Infinity ? '' : `, between lines ${wish.from + 1} and ${wish.to + 1}`;
    this.wishes.told.textContent = filtering(wish) ? `${plural(this.indices.length, 'line')} of ${this.run.items.length}${part}${share < 1 ? `, looked through ${Math.round(share * 100)} %` : ''}` : '';
    this.wishes.clear.hidden = !filtering(wish);
  }

  choose(index, {quiet = false} = {}) {
    const item = this.run.items[index];
    if (!item) return;
    if (this.comparing) this.pick(this.run);
    this.at = index;
    this.tree.select(index);
    this.strip.select(index);
    this.stage.show(this.run, item, this.live);
    this.draw();
    if (!quiet) {
      history.replaceState(null, '', `#${this.run.anchor(index)}`);
      this.moved(index);
    }
    if (!this.live) say(`${item.kind} ${item.step || ''}, ${item.role}: ${cut(item.line, 200)}`);
  }

  async draw() {
    const {run, at, tab} = this, asked = this.asked = {}, item = run.items[at];
    const go = (index) => { this.choose(index); };
    const tools = {go, link: () => this.link()};
    const parts = tab === 'step' && !item ? [el('p', {class: 'quiet'}, 'Nothing was done yet.')] : tab === 'step' ? await detailPanel(run, item, tools) : {plan: planPanel, machine: machinePanel, board: boardPanel, use: usePanel, about: aboutPanel}[tab](run, at, tools);
    if (this.asked !== asked) return;
    const same = this.drawn === `${tab} ${at}`, top = this.panel.scrollTop;
    this.drawn = `${tab} ${at}`;
    fill(this.panel, parts);
    this.panel.scrollTop = same ? top : 0;
  }

  show(name) {
    this.tab = name;
    for (const [other, tab] of this.tabs) { tab.setAttribute('aria-selected', String(other === name)); tab.tabIndex = other === name ? 0 : -1; }
    this.panel.setAttribute('aria-labelledby', `tab-${name}`);
    this.draw();
  }

  move(by) {
    const here = this.indices.indexOf(this.at);
    const next = here >= 0 ? this.indices[here + by] : by > 0 ? this.indices.find((index) => index > this.at) ?? this.indices[0] : this.indices.findLast((index) => index < this.at);
    if (next !== undefined) this.choose(next);
  }

  seek(by, test) {
    const hits = this.run.items.filter(test).map((item) => item.index);
    const next = by > 0 ? hits.find((index) => index > this.at) ?? hits[0] : hits.findLast((index) => index < this.at) ?? hits.at(-1);
    if (next === undefined) say('There is none.'); else this.choose(next);
  }

  turn(by) {
    const {turns} = this.tree, here = turns.findIndex((turn) => turn.from <= this.at && this.at <= turn.to);
    const next = turns[here + by];
    if (next) this.choose(next.from);
  }

  async link() {
    const url = `${location.href.split('#')[0]}#${this.run.anchor(this.at)}`;
    history.replaceState(null, '', url);
    try { await navigator.clipboard.writeText(url); say('The link is copied.'); } catch { say('The link is in the address.'); }
  }

  // Where the address points; false where it says nothing.
  follow() {
    const told = /^#(b-)?(step|item)-(\d{1,9})$/.exec(location.hash);
    const run = told && (told[1] ? this.runs[1] : this.runs[0]);
    const index = run ? run.indexOf(told[2], Number(told[3])) : -1;
    if (index < 0) return false;
    this.pick(run);
    this.choose(index, {quiet: true});
    return true;
  }
}
