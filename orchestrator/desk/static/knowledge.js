// What the crew may look up: sought, read, added to, and removed.

import {cut, el, fill, plural} from './dom.js';
import {listen} from './keys.js';
import {place} from './shell.js';
import {field} from './start.js';
import {ask, query, remove, send} from './wire.js';

class Knowledge {
  constructor(shell) {
    Object.assign(this, {shell, told: new URLSearchParams(location.search)});
    this.body = place('Knowledge', {aside: shell.may('operate') ? el('button', {type: 'button', class: 'main', onclick: () => this.add()}, 'Add …') : null});
    const filter = (name, label) => el('input', {type: name === 'query' ? 'search' : 'text', id: name, placeholder: label, 'aria-label': label, value: this.told.get(name) || '', oninput: () => this.later()});
    this.filters = {query: filter('query', 'Search  /'), app: filter('app', 'App'), kind: filter('kind', 'Kind')};
    this.number = el('p', {class: 'quiet', role: 'status'});
    this.list = el('ul', {class: 'known', 'aria-label': 'Documents'});
    this.one = el('section', {class: 'card document', 'aria-label': 'Document', tabindex: '-1', hidden: true});
    this.body.append(el('div', {class: 'sought', role: 'search'}, Object.values(this.filters)), this.number, el('div', {class: 'halves'}, this.list, this.one));
    listen({'/': () => this.filters.query.focus()});
  }

  get wish() { return Object.fromEntries(Object.entries(this.filters).map(([name, input]) => [name, input.value.trim()])); }

  later() {
    clearTimeout(this.due);
    this.due = setTimeout(() => { history.replaceState(null, '', `${location.pathname}${query({...this.wish, id: this.chosen})}`); this.read(); }, 200);
  }

  async read() {
    const asked = this.asked = {};
    const told = await this.shell.tried(() => ask(`/api/knowledge${query(this.wish)}`));
    if (!told || this.asked !== asked) return;
    const all = told.documents || told.knowledge || told.found || [];
    this.number.textContent = all.length ? plural(told.total ?? all.length, 'document') : 'There is nothing like that.';
    fill(this.list, all.map((one) => el('li', {}, el('button', {type: 'button', class: 'wait', 'aria-current': one.id === this.chosen ? 'true' : null, onclick: () => this.show(one.id)},
      el('b', {}, cut(one.title || one.id, 140)), el('span', {class: 'quiet'}, [one.kind, one.app, one.source, one.learnt ? 'learnt' : ''].filter(Boolean).map((part) => cut(part, 80)).join(' · ')), one.text || one.snippet ? el('span', {class: 'snippet'}, cut(one.snippet || one.text, 180)) : null))));
    const wanted = this.told.get('id');
    if (wanted && !this.chosen) await this.show(wanted);
  }

  async show(id) {
    const told = await this.shell.tried(() => ask(`/api/knowledge/${encodeURIComponent(id)}`));
    if (!told) return;
    this.chosen = id;
    history.replaceState(null, '', `${location.pathname}${query({...this.wish, id})}`);
    const {title, text, ...rest} = told, facts = Object.entries(rest).filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value) && value !== '');
    this.one.hidden = false;
    fill(this.one, el('h2', {}, title || id), el('dl', {}, facts.map(([name, value]) => [el('dt', {}, name.replaceAll('_', ' ')), el('dd', {}, String(value))])),
      el('p', {class: 'said'}, typeof text === 'string' ? text : JSON.stringify(text ?? told, null, 1)),
      this.shell.may('operate') && told.removable !== false ? el('div', {class: 'bar'}, el('button', {type: 'button', class: 'away', onclick: () => this.sure(id, title)}, 'Remove …')) : null);
    this.list.querySelectorAll('button').forEach((button) => button.removeAttribute('aria-current'));
    this.one.focus({preventScroll: innerWidth > 700});
  }

  dialog(title, ...content) {
    const dialog = el('dialog', {'aria-labelledby': 'dialog-title'}, el('h2', {id: 'dialog-title'}, title), content);
    dialog.addEventListener('close', () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
    return dialog;
  }

  sure(id, title) {
    const dialog = this.dialog('Remove this?', el('p', {}, cut(title || id, 300)), el('div', {class: 'bar'}, el('button', {type: 'button', onclick: () => dialog.close()}, 'Keep it'), el('button', {type: 'button', class: 'away', onclick: async () => {
      dialog.close();
      if (await this.shell.tried(async () => (await remove(`/api/knowledge/${encodeURIComponent(id)}`)) || {}) === null) return;
      this.one.hidden = true;
      this.chosen = '';
      this.shell.tell('Removed.');
      await this.read();
    }}, 'Remove it')));
  }

  add() {
    const title = el('input', {type: 'text', maxlength: '300'}), app = el('input', {type: 'text', maxlength: '100'}), text = el('textarea', {rows: '8', maxlength: '200000'}), told = el('p', {role: 'alert'});
    const dialog = this.dialog('Add to what the crew may look up', field('new-title', 'Title', title), field('new-app', 'App', app, 'May be empty: for every app.'), field('new-text', 'Text', text), told,
      el('div', {class: 'bar'}, el('button', {type: 'button', class: 'main', onclick: async () => {
        if (!title.value.trim() || !text.value.trim()) { told.textContent = 'It needs a title and a text.'; return; }
        try {
          const made = await send('/api/knowledge', {title: title.value.trim(), text: text.value, ...(app.value.trim() ? {app: app.value.trim()} : {})});
          dialog.close();
          this.shell.tell(made?.said || 'Added.');
          await this.read();
          if (made?.id) await this.show(made.id);
        } catch (bad) { told.textContent = bad.message; }
      }}, 'Add'), el('button', {type: 'button', onclick: () => dialog.close()}, 'Back')));
    title.focus();
  }
}

export async function open(shell) {
  shell.named('Knowledge');
  await new Knowledge(shell).read();
}
