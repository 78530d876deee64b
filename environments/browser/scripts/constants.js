() => {
  /* Evaluated in a page before an action: texts like tokens that it has, and what stands in its private fields. */
  const found = new Set(), add = (text) => {
    for (const word of String(text).slice(0, 200000).match(/[\w+\/=.:-]{8,512}/g) || [])
      if (found.size < 1000 && /\d/.test(word)) found.add(word); };
  for (const el of document.querySelectorAll('meta[content],input[type=hidden]')) add(el.content || el.value);
  for (const el of document.querySelectorAll('script:not([src])')) add(el.textContent);
  for (const el of document.querySelectorAll('html,body,form,[data-id],[data-token]')) add(JSON.stringify({...el.dataset}));
  add(location.href); add(document.cookie);
  const secret = 'input[type=password],input[autocomplete*="cc-"],input[autocomplete*="-code"],input[autocomplete*="-password"]';
  const private_ = [...document.querySelectorAll(secret)].slice(0, 20).map((el) => String(el.value).slice(0, 200));
  return {known: [...found], private: private_};
}
