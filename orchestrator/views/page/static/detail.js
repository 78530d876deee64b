// Everything behind one line: what was seen, why, what was done, what came of it, and who was asked.

import {capital, count, cut, el, seconds, shown} from './dom.js';
import {STATUS_WORDS, roleClass} from './run.js';

const KINDS = {report: 'Word from the worker', end: 'How it ended'};
const nothing = (value) => value === undefined || value === null || value === '' || (Array.isArray(value) && !value.length);

const section = (title, ...content) => el('section', {}, el('h3', {}, title), content);
const said = (title, text) => (nothing(text) ? null : section(title, el('p', {class: 'said'}, text)));
const pairs = (rows) => el('dl', {}, rows.filter(([, value]) => !nothing(value)).map(([name, value]) => [el('dt', {}, name), el('dd', {}, value)]));
const list = (values) => el('ul', {}, values.map((value) => el('li', {}, typeof value === 'string' ? value : JSON.stringify(value))));

// A long text, or JSON, that is folded away until it is wanted; it is put in only then.
export function fold(title, value, open = false) {
  const body = el('pre', {tabindex: '0', 'aria-label': title});
  const put = () => { if (!body.textContent) body.append(document.createTextNode(typeof value === 'string' ? shown(value) : shown(JSON.stringify(value, null, 1)))); };
  const node = el('details', {open, ontoggle: () => node.open && put()}, el('summary', {}, title), body);
  if (open) put();
  return node;
}

export async function detailPanel(run, item, {go, link}) {
  const detail = await run.detail(item.index).catch((bad) => ({broken: String(bad)}));
  const jump = (text) => {
    const step = /^step:(\d+)$/.exec(text), index = step ? run.indexOf('step', Number(step[1])) : -1;
    return index >= 0 ? el('button', {type: 'button', class: 'link', onclick: () => go(index)}, text) : text;
  };
  return [
    heading(run, item, link),
    detail.broken ? el('p', {class: 'bad'}, 'What stands behind this line cannot be read: ', detail.broken) : null,
    asked(detail), gate(detail, jump), ...why(detail), done(item, detail), safety(detail), supplements(detail), calls(detail, run), checks(detail),
    nothing(detail.decided) ? null : fold('The decision as it was recorded', detail.decided),
    nothing(detail.body) ? null : fold('The event as it was recorded', detail.body),
  ];
}

function heading(run, item, link) {
  const facts = [
    ['Role', item.role], ['Subtask', item.subtask ? `${item.subtask} · ${run.title(item.subtask)}${item.attempt > 1 ? ` (attempt ${item.attempt})` : ''}` : ''],
    ['App', item.app], ['When', `${seconds(item.at)} after the start${item.seconds > 0 ? `, took ${seconds(item.seconds)}` : ''}`],
  ];
  const state = STATUS_WORDS[item.status];
  return el('div', {class: `lead role-${roleClass(item.role)}`},
    el('p', {class: 'kind'}, el('span', {class: 'swatch'}), item.kind === 'step' ? `Step ${item.step}` : KINDS[item.kind] || capital(item.kind),
      state ? el('span', {class: `badge ${item.status}`}, state) : null,
      el('button', {type: 'button', class: 'link copy', onclick: link, title: 'Copy a link to this line (y)'}, `#${run.anchor(item.index)}`)),
    el('h2', {}, cut(item.line, 600)),
    item.why ? el('p', {class: item.status === 'failed' ? 'why bad' : 'why'}, item.why) : null, pairs(facts));
}

function asked({request, answer}) {
  if (!request && !answer) return null;
  const one = request || {}, told = answer || {};
  return section('Approval', pairs([
    ['Asked', (one.action_requests || []).map((action) => action?.description || action?.name || '').join('; ')], ['Rule', one.rule], ['Risk', one.risk],
    ['Effect', one.effect], ['Because', (one.reasons || []).join?.('; ')], ['May be', one.review_configs?.[0]?.allowed_decisions?.join?.(', ')],
    ['Answer', told.decision ? el('b', {}, told.decision) : 'nobody has answered yet'], ['By', told.who], ['Said', told.message],
  ]), nothing(one.action_requests) ? null : fold('Exactly what was asked', one));
}

function gate({gate: told}, jump) {
  if (!told) return null;
  const held = told.found?.checked || [];
  return section('Gate',
    pairs([['Trigger', told.trigger], ['Decision', el('b', {}, told.decision)], ['Evidence', (told.evidence || []).map((one) => [jump(String(one)), ' '])]]),
    held.length ? el('ul', {class: 'checks'}, held.map((one) => el('li', {class: one.holds ? 'ok' : 'failed'}, one.holds ? '✓ ' : '✗ ', expectation(one.expectation), one.missing ? ` (${one.missing})` : '', one.held_before ? ' (was so before)' : '', ' ', (one.evidence || []).map((proof) => [jump(String(proof)), ' '])))) : null,
    (told.issues || []).length ? [el('h4', {}, 'Issues'), list(told.issues)] : null,
    told.found ? fold('What code found out', told.found) : null);
}

const expectation = (one) => (one ? `${String(one.kind || '').replaceAll('_', ' ')}: ${Object.entries(one).filter(([key]) => key !== 'kind').map(([key, value]) => `${key} ${JSON.stringify(value)}`).join(', ')}` : '');

function why(detail) {
  return [said('Seen', detail.observation), said('Why', detail.reasoning), said('Expected', detail.expected), said('Comment', detail.comment),
    nothing(detail.steps_ahead) ? null : section('Ahead', list(detail.steps_ahead))];
}

function done(item, detail) {
  const tier = detail.tier ? `found by ${detail.tier.replaceAll('_', ' ')}` : '';
  if (nothing(detail.action) && nothing(detail.events) && nothing(detail.output)) return null;
  return section('Action and result', tier ? el('p', {class: 'quiet'}, tier) : null,
    nothing(detail.events) ? null : list(detail.events),
    nothing(detail.output) ? null : fold('Output', detail.output, detail.output.length < 2000),
    nothing(detail.action) ? null : fold('The action', detail.action, Boolean(detail.action.code || detail.action.script)));
}

function safety({review}) {
  if (nothing(review)) return null;
  return section('Safety', review.map((one) => pairs([['Verdict', el('b', {class: `verdict-${one.verdict}`}, one.verdict)], ['Rule', one.policy], ['Effect', one.effect],
    ['Severity', one.severity], ['Because', (one.reasons || []).join?.('; ')]])));
}

function supplements({found, query}) {
  if (nothing(found) && nothing(query)) return null;
  return section('Looked up', said('Query', query), (found || []).map((one) => fold(`${one.title || 'untitled'} · ${one.source || ''}`, one.text || one)));
}

const COUNTED = new Set(['model', 'tokens_in', 'tokens_out', 'tokens_cached', 'tokens_reasoning', 'seconds', 'money', 'estimated', 'characters', 'problem', 'finish', 'recalled', 'transcript']);
const FINISHES = {cut_off: 'The answer was cut off.', refused: 'The model refused to answer.'};

// A part of what was said to a model or by it, read when it is wanted.
function foldPart(title, name, run) {
  const body = el('div', {});
  const put = async () => {
    if (body.childNodes.length) return;
    const text = await run.part(name).catch(() => 'This part is not kept here: a picture is in a page that was written with --bundle.');
    const picture = /^data:image\/png;base64,/.exec(text);
    body.replaceChildren(picture ? drawn(text.slice(picture[0].length), title) : el('pre', {tabindex: '0', 'aria-label': title}, shown(text)));
  };
  return el('details', {ontoggle: (event) => event.target.open && put()}, el('summary', {}, title), body);
}

function drawn(base64, title) {
  const bytes = Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0));
  return el('img', {class: 'shown', alt: title, src: URL.createObjectURL(new Blob([bytes], {type: 'image/png'}))});
}

function transcript(told, run) {
  if (nothing(told)) return el('p', {class: 'quiet'}, 'Prompt and reply as text were not recorded.');
  if (told.missing) return el('p', {class: 'quiet'}, told.missing);
  const parts = (told.messages || []).flatMap((one) => (one.parts || []).map((part) => ('picture' in part ? [`${one.role}: picture`, part.picture] : [one.role, part.text])));
  const named = [...parts, ['the form of the answer', told.schema], ['reply', told.reply]].filter(([, name]) => !nothing(name));
  return named.map(([title, name]) => foldPart(title, name, run));
}

function calls({calls: told}, run) {
  if (nothing(told)) return null;
  return section(`Calls of models (${told.length})`, told.map((one) => el('div', {class: 'call'},
    el('p', {}, el('b', {}, one.model || 'model'), ` · ${count(one.tokens_in)} tokens in${one.tokens_cached ? ` (${count(one.tokens_cached)} of them cached)` : ''}, ${count(one.tokens_out)} out${one.tokens_reasoning ? ` (${count(one.tokens_reasoning)} of them reasoned)` : ''}`, one.estimated ? ' (estimated)' : '',
      ` · ${seconds(one.seconds)}`, one.money ? ` · ${one.money.toFixed(4)}` : ''),
    one.problem ? el('p', {class: 'bad'}, one.problem) : null,
    FINISHES[one.finish] ? el('p', {class: 'bad'}, FINISHES[one.finish]) : null,
    one.recalled ? el('p', {class: 'quiet'}, 'Not paid again: the reply was recorded before the process ended.') : null,
    Object.entries(one).filter(([key, value]) => !COUNTED.has(key) && !nothing(value)).map(([key, value]) => fold(key.replaceAll('_', ' '), value)),
    transcript(one.transcript, run))));
}

function checks({checks: told}) {
  if (nothing(told)) return null;
  return section('The world, judged', el('ul', {class: 'checks'}, told.map((one) => el('li', {class: one.passed ? 'ok' : 'failed'}, one.passed ? '✓ ' : '✗ ', one.expression || '', one.error ? ` (${one.error})` : ''))));
}
