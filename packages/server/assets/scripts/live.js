// Keeps a page current: fetches it again every second, puts the new content in, leaves open what was open.
const button = document.getElementById('live');
const period = 1000;
let timer;

async function refresh() {
  try {
    const response = await fetch(location.href, {
      headers: { Accept: 'text/html', 'X-Requested-With': 'XMLHttpRequest' },
    });
    if (!response.ok) throw new Error(String(response.status));
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    const current = document.querySelector('[data-live]');
    const next = page.querySelector('[data-live]');
    for (const open of current.querySelectorAll('details[open]')) {
      const same = open.id && next.querySelector(`#${CSS.escape(open.id)}`);
      if (same) same.open = true;
    }
    if (current.innerHTML !== next.innerHTML) current.replaceChildren(...next.childNodes);
    button.textContent = 'Live';
  } catch {
    button.textContent = 'Live (no answer)';
  }
  if (timer !== undefined) timer = setTimeout(refresh, period);
}

button.hidden = false;
button.addEventListener('click', () => {
  const on = timer === undefined;
  clearTimeout(timer);
  timer = on ? setTimeout(refresh, 0) : undefined;
  button.setAttribute('aria-pressed', String(on));
});
