// The data of the page: inert blocks, each read when it is needed.

// A block while the page still comes in: it is whole once something stands behind it.
async function textOf(id) {
  for (;;) {
    const node = document.getElementById(id), all = document.readyState !== 'loading';
    if (node && (all || node.nextElementSibling)) return node.textContent;
    if (all) throw new Error(`the page has no block ${id}`);
    await new Promise((done) => { setTimeout(done, 10); });
  }
}

function bytesOf(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const said = atob(text), bytes = new Uint8Array(said.length);
  for (let at = 0; at < said.length; at++) bytes[at] = said.charCodeAt(at);
  return bytes;
}

// A deflated block as JSON.
export async function unpacked(id) {
  const stream = new Blob([bytesOf(await textOf(id))]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Response(stream).json();
}

export async function pictureOf(id) {
  return URL.createObjectURL(new Blob([bytesOf(await textOf(id))], {type: 'image/png'}));
}

export const boot = () => JSON.parse(document.getElementById('boot').textContent);

// Remembers the latest of what was asked for; a promise, so that nothing is read twice at a time. What failed is asked for again.
export function remembering(most, read, forget = () => {}) {
  const kept = new Map();
  return (key) => {
    const found = kept.get(key) ?? read(key);
    kept.delete(key);
    kept.set(key, found);
    found.catch?.(() => { if (kept.get(key) === found) kept.delete(key); });
    if (kept.size > most) {
      const [oldest, value] = kept.entries().next().value;
      kept.delete(oldest);
      Promise.resolve(value).then(forget, () => {});
    }
    return found;
  };
}

// How a run of this page is read: its details in blocks, its screens and pictures one by one.
export function reader(name, told, {per_block, per_chunk}) {
  const places = new Map(told.screens.map((id, at) => [id, Math.floor(at / per_chunk)]));
  const details = remembering(40, (at) => unpacked(`${name}-details-${at}`));
  const screens = remembering(8, (at) => unpacked(`${name}-screens-${at}`));
  const bundled = remembering(60, (id) => pictureOf(id), (url) => URL.revokeObjectURL(url));
  return {
    perBlock: per_block,
    part: (part) => unpacked(`${name}-part-${part}`),
    detailBlock: (at) => unpacked(`${name}-details-${at}`),
    detail: async (index) => (await details(Math.floor(index / per_block)))[index % per_block] || {},
    screen: async (id) => {
      if (!places.has(id)) return null;
      const chunk = await screens(places.get(id)), found = chunk.screens[id];
      return found ? {...found, elements: found.elements.map((number) => chunk.elements[number])} : null;
    },
    picture: async (id) => {
      const ref = Object.hasOwn(told.pictures, id) ? told.pictures[id] : '';
      return ref.startsWith('#') ? bundled(ref.slice(1)) : ref;
    },
  };
}
