// Talks with the server: actions go out one after the other, changes of the screen come back with the answer and as events.

let tail = Promise.resolve();
let number = -1;
let draw = () => {};
let refused = () => {};

function take(event) {
  // Changes apply in order: one that is known already is passed over, and one too many means that something was missed.
  if (event.whole) {
    if (number < 0) document.getElementById('desk').removeAttribute('aria-busy');
    number = event.number;
    draw(event);
  } else if (event.number === number + 1) {
    number = event.number;
    draw(event);
  } else if (event.number > number) {
    listen();
  }
}

let stream = null;
function listen() {
  if (stream) stream.close();
  stream = new EventSource('/events');
  stream.onmessage = (message) => take(JSON.parse(message.data));
  stream.onerror = () => { if (stream.readyState === EventSource.CLOSED) refused('The server is gone.'); };
}

async function post(path, body) {
  const answer = await fetch(path, {
    method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(body), keepalive: true,
  });
  if (!answer.ok) throw new Error((await answer.text()).trim() || `the server answered ${answer.status}`);
  return answer.json();
}

// `after` is told the result once the screen shows it; it is called whatever happened.
export function perform(action, after = () => {}) {
  tail = tail.then(async () => {
    const desk = document.getElementById('desk');
    desk.setAttribute('aria-busy', 'true');
    try {
      const {result, event} = await post('/page', action);
      take(event);
      refused(result.exec_status === 'executed' ? '' : result.error);
    } catch (problem) {
      refused(String(problem.message || problem));
    } finally {
      desk.removeAttribute('aria-busy');
      after();
    }
  });
  return tail;
}

export async function ask(path, body) {
  await tail;
  try {
    return await post(path, body);
  } catch (problem) {
    refused(String(problem.message || problem));
    return null;
  }
}

export function start(drawn, said) {
  draw = drawn;
  refused = said;
  listen();
}
