// All that goes to the server and comes from it: questions with one answer, and streams that go on where they broke off.

export class Refused extends Error {
  constructor(status, told) {
    super(told?.error || (status ? `The server answered with ${status}.` : 'The server cannot be reached.'));
    this.status = status;
    this.told = told || {};
  }
}

export async function ask(path, {method = 'GET', body} = {}) {
  let answer;
  try {
    answer = await fetch(path, {
      method, credentials: 'same-origin', cache: 'no-store',
      headers: {'X-Deskcrew': '1', Accept: 'application/json', ...(body === undefined ? {} : {'Content-Type': 'application/json'})},
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch { throw new Refused(0); }
  const told = await answer.json().catch(() => null);
  if (!answer.ok) throw new Refused(answer.status, told);
  return told;
}

export const send = (path, body = {}) => ask(path, {method: 'POST', body});
export const query = (values) => {
  const said = new URLSearchParams(Object.entries(values).filter(([, value]) => value !== '' && value !== null && value !== undefined));
  return said.size ? `?${said}` : '';
};
export const runPath = (id, rest = '') => `/api/runs/${encodeURIComponent(id)}${rest}`;

const SOON = 300, LATE = 4000;

// A stream that opens itself again from its cursor. While nobody sees the page it is shut, and reads on afterwards.
export class Stream {
  // `hears` maps the kinds of events to functions; `stands` hears live, lost, refused, over, or gone where `home` is there no longer.
  constructor(path, hears, stands = () => {}, home = '/api/me') {
    Object.assign(this, {path, hears, stands, home, cursor: null, pause: SOON, done: false});
    document.addEventListener('visibilitychange', this.seen = () => (document.hidden ? this.shut() : this.open()));
    addEventListener('pagehide', () => this.shut());
    addEventListener('pageshow', (event) => event.persisted && this.open());
    this.open();
  }

  open() {
    if (this.done || this.source || document.hidden) return;
    clearTimeout(this.timer);
    const source = this.source = new EventSource(`${this.path}${query({after: this.cursor})}`);
    source.onopen = () => { this.pause = SOON; this.stands('live'); };
    source.onerror = () => this.lost(source);
    for (const [kind, hear] of Object.entries(this.hears)) {
      source.addEventListener(kind, (event) => {
        if (source !== this.source) return;
        if (event.lastEventId) this.cursor = event.lastEventId;
        hear(JSON.parse(event.data));
      });
    }
  }

  shut() {
    clearTimeout(this.timer);
    this.source?.close();
    this.source = null;
  }

  async lost(source) {
    if (source !== this.source || this.done) return;
    this.shut();
    this.stands('lost');
    try { await ask(this.home); } catch (bad) {
      if (bad.status === 401 || bad.status === 403) { this.stands('refused'); return; }
      if (bad.status === 404) { if (!this.done) this.end('gone'); return; }
    }
    if (this.done || this.source) return;
    this.timer = setTimeout(() => this.open(), this.pause);
    this.pause = Math.min(this.pause * 1.7, LATE);
  }

  end(how = 'over') {
    this.done = true;
    this.shut();
    document.removeEventListener('visibilitychange', this.seen);
    this.stands(how);
  }

  // What was over goes on after all, perhaps.
  again() {
    if (!this.done) return;
    this.done = false;
    document.addEventListener('visibilitychange', this.seen);
    this.timer = setTimeout(() => this.open(), SOON);
  }
}
