// Where a live page gets what stands behind the lines: from the server, when it is wanted.

import {remembering} from './blocks.js';
import {ask, runPath} from './wire.js';

const PER_BLOCK = 100;

export function readsOf(id) {
  const screens = remembering(200, (state) => ask(runPath(id, `/screens/${encodeURIComponent(state)}/elements`)).catch((bad) => {
    if (bad.status === 404) return null;
    throw bad;
  }));
  const screen = (state) => screens(state).catch(() => null);
  const detail = (index) => ask(runPath(id, `/details/${index}`));
  return {
    perBlock: PER_BLOCK, detail, screen,
    part: async (name) => (await ask(runPath(id, `/parts/${encodeURIComponent(name)}`))).text,
    detailBlock: async (at) => (await ask(runPath(id, `/details?from=${at * PER_BLOCK}&limit=${PER_BLOCK}`))).details,
    picture: async (state) => ((await screen(state))?.picture ? runPath(id, `/screens/${encodeURIComponent(state)}`) : ''),
  };
}
