/* The form that a press may send: that of the control, or the one around what is pressed. */
function formOf(el) {
  const control = el.closest('button,input,select,textarea,label');
  const owner = control && tagOf(control) === 'label' ? control.control : control;
  const form = owner ? owner.form : null;
  return form instanceof HTMLFormElement ? form : el.closest('form');
}
const sends = (el) => /^(button|input)$/.test(tagOf(el)) && /^(submit|image)$/.test(el.type) && el.form;
const whole = (address) => { try { return new URL(address, document.baseURI); } catch { return null; } };
const bare = (url) => (/^https?:$/.test(url.protocol) ? `${url.protocol}//${url.host}${url.pathname}` : url.protocol);
/* The names of a query, and its values that are a word or a small number: they may say what the address does. */
const worded = (url) => {
  const plain = (value) => (/^(\p{L}[\p{L}_-]{0,29}|\d{1,2})$/u.test(value) ? value : '');
  const said = [...url.searchParams].slice(0, 40).map(([name, value]) => `${name.slice(0, 30)}=${plain(value)}`);
  return said.length ? `?${said.join('&')}` : '';
};
const ends = (text) => (text.length > 200 ? `${text.slice(0, 100)}…${text.slice(-99)}` : text);
const told = (url) => ends(`${bare(url)}${/^http/.test(url.protocol) ? worded(url) : ''}`);

/* How a form is sent and where to, by the button that is pressed. */
function sending(form, by) {
  const own = (name) => (by && sends(by) ? attr(by, `form${name}`) : null);
  const how = String(own('method') ?? attr(form, 'method') ?? 'get').trim().toLowerCase();
  const said = own('action') ?? attr(form, 'action');
  const url = whole(said || location.href);
  return how === 'dialog' || !url ? null : {how: how === 'post' ? 'post' : 'get', url, said: Boolean(said),
    target: own('target') ?? attr(form, 'target') ?? ''};
}
/* Where a press leads, as the page says it; nothing where it says nothing. */
function leadsTo(el) {
  const link = el.closest('a[href],area[href]');
  if (link) {
    const href = String(attr(link, 'href')).trim(), here = href.startsWith('#') && !document.getElementById(href.slice(1));
    const url = here ? null : whole(href);
    return url ? `${attr(link, 'download') === null ? 'open' : 'download'} ${told(url)}` : '';
  }
  const way = sends(el) && el.form instanceof HTMLFormElement ? sending(el.form, el) : null;
  const by = way && attr(el, 'name') ? ` by ${attr(el, 'name')}=${el.value}`.replace(/\s+/g, ' ').slice(0, 80) : '';
  return way ? `${way.how} ${told(way.url)}${by}` : '';
}

const KINDS = ['click', 'dblclick', 'mousedown', 'mouseup', 'pointerdown', 'pointerup', 'touchstart', 'submit'];
const SOURCE = 2000;
function handlersOf(el) {
  const found = [], ask = globalThis[KEY];
  const add = (what) => { if (typeof what === 'function') found.push(String(what).slice(0, SOURCE)); };
  for (const kind of KINDS) add(el[`on${kind}`]);
  if (typeof ask === 'function') for (const source of ask(el, true) || [])
    if (!String(source).endsWith(String(hear))) found.push(String(source));
  for (const name of Object.keys(el)) if (name.startsWith('__reactProps$') && el[name]) {
    add(el[name].onClick); add(el[name].onSubmit); }
  return found;
}
const HELD = new RegExp('^(name|type|value|href|target|ping|download|form.*|on.*|' +
  'data-.*(id|href|url|action|method|target|param|amount|to))$');
const marks = (el) => [...el.attributes].filter((a) => HELD.test(a.name) && (a.name !== 'value' || tagOf(el) === 'button'))
  .map((a) => `${a.name}=${a.value}`).sort().join('\n');
const seen = (el) => { const box = standIn(el).getBoundingClientRect(); return box.width > 2 && box.height > 2 &&
  box.right + scrollX > 0 && box.bottom + scrollY > 0 && (!el.checkVisibility ||
  standIn(el).checkVisibility({checkOpacity: true, checkVisibilityCSS: true})); };
const CARRIED = /^(hidden|password)$/;
/* What a form sends: of each field its name, what it holds, and whether that can be seen; `all` with those that have no name. */
function carried(form, all) {
  const found = [];
  for (const el of partsOf(form)) {
    const name = tidy(attr(el, 'name'));
    if (!(name || all) || el.matches(':disabled') || /^(submit|button|image|reset)$/.test(el.type) || !('value' in el)) continue;
    if (/^(checkbox|radio)$/.test(el.type) && !el.checked) continue;
    const values = tagOf(el) === 'select' ? [...el.selectedOptions].map((o) => o.value) :
      el.type === 'file' ? [...(el.files.length ? el.files : [{name: ''}])].map((file) => file.name) : [el.value];
    for (const value of values) found.push({name, value: String(value).slice(0, 100000),
      open: !CARRIED.test(el.type) && !secret(el) && seen(el)});
  }
  return found;
}
/* What the press of a control should send, to be held against what is sent; null where nothing is known. */
function expected(c, form, link, keys) {
  const by = keys && !sends(c) ? byEnter(form) || c : c, way = form && sending(form, by);
  if (way && !link) {
    const fields = carried(form, true).map((f) => [f.name, f.value, f.open]);
    if (sends(by) && attr(by, 'name')) fields.push([attr(by, 'name'), String(by.value), true]);
    const enctype = (sends(by) && attr(by, 'formenctype')) || attr(form, 'enctype') || '';
    return {how: way.how, url: way.url.href, said: way.said, fields, enctype: enctype.toLowerCase()};
  }
  const url = link && whole(attr(link, 'href'));
  return url && /^https?:$/.test(url.protocol) ? {how: 'open', url: url.href, said: true, fields: []} : null;
}
