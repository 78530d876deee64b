// Search and filters: at once in what every line says, then in what stands behind the lines.

export const NOTHING = {text: '', role: '', kind: '', app: '', failed: false, from: 0, to: Infinity};

export const filtering = (wish) => Boolean(wish.text || wish.role || wish.kind || wish.app || wish.failed || wish.to !== Infinity);

export function matches(item, wish) {
  if (item.index < wish.from || item.index > wish.to) return false;
  if (wish.role && item.role !== wish.role) return false;
  if (wish.kind && item.kind !== wish.kind) return false;
  if (wish.app && item.app !== wish.app) return false;
  return !(wish.failed && item.status !== 'failed');
}

const saysIn = (item, text) => `${item.line}\n${item.why}\n${item.app}\n${item.subtask}\n${item.kind}`.toLowerCase().includes(text);

// The indices that match; `behind` holds those whose details are known to.
export function found(run, wish, behind) {
  const text = wish.text.toLowerCase();
  return run.items.filter((item) => matches(item, wish) && (!text || saysIn(item, text) || behind.has(item.index))).map((i) => i.index);
}

// Looks through the details, block by block; tells what it found and how far it is, and stops when `wanted` says no.
export async function lookBehind(run, text, wanted, tell) {
  const low = text.toLowerCase(), hits = new Set();
  for (let at = 0; at < run.detailBlocks; at++) {
    let details = [];
    try { details = await run.detailBlock(at); } catch { /* a block that is damaged is not searched */ }
    if (!wanted()) return;
    details.forEach((detail, place) => {
      if (JSON.stringify(Object.values(detail)).toLowerCase().includes(low)) hits.add(at * run.perBlock + place);
    });
    if (at % 10 === 9 || at === run.detailBlocks - 1) tell(hits, (at + 1) / run.detailBlocks);
  }
}
