const cut = (a, b) => ({left: Math.max(a.left, b.left), top: Math.max(a.top, b.top),
  right: Math.min(a.right, b.right), bottom: Math.min(a.bottom, b.bottom)});
/* For how many milliseconds an element has been seen at the place where it is now. */
const stands = new WeakMap();
function stood(el, box) {
  const known = stands.get(el), same = known && ['left', 'top', 'right', 'bottom'].every((side) => known.box[side] === box[side]);
  if (!same) stands.set(el, {box, since: performance.now()});
  return same ? performance.now() - known.since : 0;
}
const empty = (r) => r.right - r.left < 1 || r.bottom - r.top < 1;
const view = () => ({left: 0, top: 0, right: innerWidth, bottom: innerHeight});
const clips = (style) => /auto|scroll|hidden|clip/.test(style.overflowX + style.overflowY);

function hitAt(x, y) {
  let hit = document.elementFromPoint(x, y);
  while (hit && hit.shadowRoot) {
    const inner = hit.shadowRoot.elementFromPoint(x, y);
    if (!inner || inner === hit) break;
    hit = inner;
  }
  return hit;
}
/* What stands for an element on the screen: itself, or the label of a control that is drawn by its label. */
function standIn(el) {
  const box = el.getBoundingClientRect();
  const style = getComputedStyle(el);
  const drawn = box.width > 2 && box.height > 2 && style.opacity !== '0' && style.visibility !== 'hidden';
  if (!drawn) for (const label of el.labels || []) if (!empty(label.getBoundingClientRect())) return label;
  return el;
}
function own(hit, el) {
  if (!hit) return false;
  if (within(el, hit)) return true;
  for (const label of el.labels || []) if (within(label, hit)) return true;
  return false;
}
function points(r) {
  const w = r.right - r.left, h = r.bottom - r.top, out = [];
  for (const [fx, fy] of [[.5, .5], [.25, .5], [.75, .5], [.5, .25], [.5, .75], [.1, .5], [.9, .5], [.1, .15], [.9, .85],
    [.9, .15], [.1, .85]])
    out.push([r.left + w * fx, r.top + h * fy]);
  return out;
}
/* A point where a press reaches the element, or null. `calm` things need no press: what they stand in may be hit instead. */
function free(el, shown, calm) {
  let second = null;
  const quiet = calm || getComputedStyle(el).pointerEvents === 'none';
  const rects = calm ? [shown] : [shown, ...[...el.getClientRects()].slice(0, 3).map((r) => cut(r, shown))];
  for (const r of rects) {
    if (empty(r)) continue;
    for (const [x, y] of points(r)) {
      const hit = hitAt(x, y);
      if (!own(hit, el) && !(quiet && hit && within(hit, el))) continue;
      const nested = hit !== el && !calm ? hit.closest(NATIVE) : null;
      if (!nested || nested === el || !within(el, nested)) return [x, y];
      second = second || [x, y];
    }
  }
  return second;
}
function clipOf(el) {
  let clip = view(), fixed = getComputedStyle(el).position === 'fixed';
  for (let n = up(el); n && n !== document.body && n !== document.documentElement && !fixed; n = up(n)) {
    const style = getComputedStyle(n);
    if (clips(style)) clip = cut(clip, boxOf(n));
    fixed = style.position === 'fixed';
  }
  return clip;
}
const described = (el) => {
  const role = firmRole(el) || tagOf(el), name = tidy(attr(el, 'aria-label') || el.innerText || attr(el, 'title') ||
    '').slice(0, 60);
  return name || tokens(el) || role;
};
