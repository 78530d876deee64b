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

// Remembers the latest of what was asked for; a promise, so that nothing is read twice at a time.
export function remembering(most, read, forget = () => {}) {
  const kept = new Map();
  return (key) => {
    const found = kept.get(key) ?? read(key);
    kept.delete(key);
    kept.set(key, found);
    if (kept.size > most) {
      const [oldest, value] = kept.entries().next().value;
      kept.delete(oldest);
      Promise.resolve(value).then(forget, () => {});
    }
    return found;
  };
}
