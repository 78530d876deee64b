() => {
  /* Every text of a document and of its fields, wherever it stands; `boxes` gives where letters of them are. */
  const nodes = [], fields = [];
  const gather = (root) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node.nodeType === 3) nodes.push(node);
      else {
        if (node.shadowRoot) gather(node.shadowRoot);
        if (/^(INPUT|TEXTAREA|SELECT|BUTTON|METER|PROGRESS)$/.test(node.tagName)) fields.push(node);
      }
    }
  };
  if (document.body) gather(document.body);
  const said = (el) => [el.value, el.getAttribute('placeholder'), ...[...(el.selectedOptions || [])].map((o) => o.label)];
  const boxes = (texts, held) => {
    const found = [];
    for (const [at, from, to] of texts) {
      const range = document.createRange();
      try { range.setStart(nodes[at], from); range.setEnd(nodes[at], to); } catch (gone) { continue; }
      found.push(...range.getClientRects());
    }
    for (const at of held) found.push(fields[at].getBoundingClientRect());
    return found.map((box) => [box.left, box.top, box.right, box.bottom]);
  };
  return {boxes, texts: nodes.map((n) => n.data), values: fields.map((el) => said(el).map((t) => String(t ?? '')))};
}
