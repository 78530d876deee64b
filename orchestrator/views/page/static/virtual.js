// A list of which only what is in sight is there: as quick with ten thousand rows as with ten.

export class Virtual {
  // `draw(row, place)` makes the node of a row; `size` is its height, or its width in a strip that lies.
  constructor(host, {size, draw, lying = false}) {
    Object.assign(this, {host, size, draw, lying, rows: [], nodes: new Map()});
    this.inner = document.createElement('div');
    this.inner.className = 'virtual';
    this.inner.setAttribute('role', 'presentation');
    host.append(this.inner);
    host.addEventListener('scroll', () => this.later(), {passive: true});
    new ResizeObserver(() => this.later()).observe(host);
  }

  set(rows) {
    this.rows = rows;
    this.inner.style[this.lying ? 'width' : 'height'] = `${rows.length * this.size}px`;
    this.again();
  }

  again() {
    for (const node of this.nodes.values()) node.remove();
    this.nodes.clear();
    this.show();
  }

  later() {
    if (this.due) return;
    this.due = requestAnimationFrame(() => { this.due = 0; this.show(); });
  }

  show() {
    const {host, size, lying} = this;
    const start = lying ? host.scrollLeft : host.scrollTop, room = lying ? host.clientWidth : host.clientHeight;
    const first = Math.max(0, Math.floor(start / size) - 4), last = Math.min(this.rows.length - 1, Math.ceil((start + room) / size) + 4);
    for (const [place, node] of this.nodes) if (place < first || place > last) { node.remove(); this.nodes.delete(place); }
    for (let place = first; place <= last; place++) {
      if (this.nodes.has(place)) continue;
      const node = this.draw(this.rows[place], place);
      node.style[lying ? 'left' : 'top'] = `${place * size}px`;
      node.style[lying ? 'width' : 'height'] = `${size}px`;
      this.nodes.set(place, node);
      const next = [...this.nodes.keys()].filter((other) => other > place).sort((a, b) => a - b)[0];
      this.inner.insertBefore(node, next === undefined ? null : this.nodes.get(next));
    }
  }

  reveal(place) {
    const {host, size, lying} = this;
    const key = lying ? 'scrollLeft' : 'scrollTop', room = lying ? host.clientWidth : host.clientHeight;
    const start = place * size;
    if (start < host[key] + size || start + size > host[key] + room - size) host[key] = Math.max(0, start - (room - size) / 2);
    this.show();
  }
}
