(() => {
  const seen = new WeakSet(), told = new WeakMap(), add = EventTarget.prototype.addEventListener;
  const text = Function.prototype.toString, call = Function.prototype.call.bind(Function.prototype.call);
  const prevent = Event.prototype.preventDefault, stop = Event.prototype.stopImmediatePropagation;
  const kinds = new Set(['click', 'dblclick', 'mousedown', 'mouseup', 'pointerdown', 'pointerup', 'touchstart']);
  const OURS = /^\(?event\)? => \{?[^{}]*_hitTargetInterceptor[^{}]*\}?$/;  /* how Playwright watches its own presses */
  const note = (at, kind, what) => {
    const heard = typeof what === 'function' ? what : what && what.handleEvent;
    if (typeof heard !== 'function' || OURS.test(call(text, heard))) return;
    if (!told.has(at)) told.set(at, new Set());
    if (told.get(at).size < 50) told.get(at).add(kind + ' ' + call(text, heard).slice(0, 2000));
  };
  let armed = null, astray = false;
  const alone = (e) => {
    if (!STRICT) return false;
    if (/^(pointer|mouse)down$/.test(e.type)) return (astray = true);
    if (e.type === 'keydown' || e.type === 'keypress') return !/^(Shift|Control|Alt|Meta|AltGraph|CapsLock)$/.test(e.key);
    return astray && /^(mouseup|pointerup|.*click|contextmenu)$/.test(e.type) && e.detail !== 0;
  };
  const guard = (e) => {
    if (!e.isTrusted) return;
    let stopped = true;
    try { stopped = armed ? armed(e) : alone(e); } catch (bad) { stopped = true; }
    if (stopped) { call(prevent, e); call(stop, e); }
  };
  for (const kind of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'auxclick', 'dblclick', 'contextmenu', 'drop',
    'keydown', 'keypress', 'beforeinput']) call(add, globalThis, kind, guard, {capture: true, passive: false});
  EventTarget.prototype.addEventListener = function addEventListener(kind, ...rest) {
    if (kinds.has(kind) && this instanceof Element) seen.add(this);
    if (this && (kinds.has(kind) || kind === 'submit')) note(this, kind, rest[0]);
    return add.call(this, kind, ...rest);
  };
  /* What the user's own press or key put off, by the milliseconds that each takes: a page that checks or saves a little later. */
  const later = setTimeout, due = new Map();
  globalThis.setTimeout = function (work, delay, ...rest) {
    const id = call(later, this ?? globalThis, work, delay, ...rest), by = globalThis.event;
    if (by instanceof Event && by.isTrusted && /^(click|key|mouse[du]|pointer[du]|submit|change|input)/.test(by.type))
      due.set(id, [Number(delay) || 0, performance.now()]);
    return id;
  };
  const cancel = clearTimeout;
  globalThis.clearTimeout = function (id) { due.delete(id); return call(cancel, this ?? globalThis, id); };
  const putOff = () => {
    for (const [id, [takes, since]] of due) if (since + takes < performance.now()) due.delete(id);
    return [...due.values()].map(([takes]) => takes);
  };
  const value = (what, more) => {
    if (what === 'LATER') return putOff();
    if (what === 'SECRET') { armed = more; astray = false; return true; }
    return more ? [...(told.get(what) || [])] : seen.has(what);
  };
  Object.defineProperty(globalThis, 'KEY', {value});
  Object.defineProperty(globalThis, 'eval', {value: eval, writable: false, configurable: false});
})()
