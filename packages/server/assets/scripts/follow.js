// Follows the log: asks for the entries after the last one shown, once a second.
const button = document.getElementById('follow');
const list = document.getElementById('logs');
const period = 1000;
let next = Number(button.dataset.next);
let timer;

function entry({ level, message, timestamp }) {
  const item = document.createElement('li');
  item.className = `level-${['error', 'warn', 'debug'].includes(level) ? level : 'info'}`;
  const piece = (tag, className, text) => {
    const element = document.createElement(tag);
    if (className) element.className = className;
    element.textContent = text;
    return element;
  };
  item.append(
    piece('time', '', timestamp ?? ''),
    ' ',
    piece('span', 'level', level),
    ': ',
    piece('span', 'message', message),
  );
  return item;
}

async function poll() {
  try {
    const response = await fetch(`/logs?startIndex=${next}`, {
      headers: { Accept: 'application/json', 'X-Requested-With': 'XMLHttpRequest' },
    });
    const { logs } = await response.json();
    next += logs.length;
    list.append(...logs.map(entry));
    if (logs.length > 0) list.lastElementChild.scrollIntoView({ block: 'end' });
    button.textContent = 'Follow';
  } catch {
    button.textContent = 'Follow (no answer)';
  }
  if (timer !== undefined) timer = setTimeout(poll, period);
}

button.hidden = false;
button.addEventListener('click', () => {
  const on = timer === undefined;
  clearTimeout(timer);
  timer = on ? setTimeout(poll, 0) : undefined;
  button.setAttribute('aria-pressed', String(on));
});
