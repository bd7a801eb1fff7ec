'use strict';
const { columns, runs } = JSON.parse(document.getElementById('data').textContent);
const PIECE = 200;
const filter = document.getElementById('filter');
const status = document.getElementById('status');
const shown = document.getElementById('shown');
const more = document.getElementById('more');
const body = document.querySelector('#run-table tbody');
const column = Object.fromEntries(columns.map((name, i) => [name, i]));
const texts = runs.map((run) => run.join(' ').toLowerCase());
let order = runs.map((_, i) => i);
let matching = order;
let written = 0;

const cell = (text, name) => {
  const td = document.createElement('td');
  td.textContent = text;
  if (name !== '') td.className = name;
  return td;
};

const classOf = (verdict) =>
  verdict === 'passed' ? 'verdict-passed' : verdict === 'known' ? 'verdict-known' : 'verdict-other';

const rowOf = (run) => {
  const tr = document.createElement('tr');
  const anchor = run[column.anchor];
  const name = cell('', '');
  if (anchor === '') name.textContent = run[column.run];
  else {
    const link = document.createElement('a');
    link.href = `#${anchor}`;
    link.textContent = run[column.run];
    name.append(link);
  }
  const what = cell(run[column.what], '');
  if (run[column.replay] !== '') what.title = run[column.replay];
  tr.append(name, cell(run[column.verdict], classOf(run[column.verdict])), cell(run[column.test], ''));
  for (const each of ['seed', 'wallMs', 'simulatedUs', 'checks']) tr.append(cell(run[column[each]], 'n'));
  tr.append(what);
  return tr;
};

const write = (until) => {
  const rows = matching.slice(written, until).map((i) => rowOf(runs[i]));
  body.append(...rows);
  written = Math.min(until, matching.length);
  more.hidden = written >= matching.length;
  shown.textContent = `${matching.length} of ${runs.length} runs`;
};

const show = () => {
  const words = filter.value.trim().toLowerCase().split(/\s+/);
  matching = order.filter(
    (i) =>
      (status.value === '' || runs[i][column.verdict] === status.value) &&
      words.every((word) => texts[i].includes(word)),
  );
  body.replaceChildren();
  written = 0;
  write(PIECE);
};

const sorted = { by: -1, down: false };
const sortBy = (by) => {
  sorted.down = sorted.by === by ? !sorted.down : by > 2 && by < 7;
  sorted.by = by;
  const sign = sorted.down ? -1 : 1;
  const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
  order = runs.map((_, i) => i).sort((a, b) => sign * compare(runs[a][by], runs[b][by]) || a - b);
  show();
};

const copied = async (button) => {
  const code = button.parentElement.querySelector('code');
  getSelection().selectAllChildren(code);
  try {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = 'copied';
  } catch {
    button.textContent = 'selected';
  }
};

const failures = [...document.querySelectorAll('details.failure')];
let current = -1;
const goTo = (place) => {
  if (failures.length === 0) return;
  failures[current]?.classList.remove('current');
  current = (place + failures.length) % failures.length;
  const failure = failures[current];
  failure.classList.add('current');
  failure.scrollIntoView({ block: 'start' });
  failure.querySelector('summary').focus({ preventScroll: true });
};

/** The moment of the finding comes into view, however wide the time line is. */
const showFinding = (failure) => {
  const box = failure.querySelector('.scroll');
  const line = box?.querySelector('line.finding');
  if (line) box.scrollLeft = line.x1.baseVal.value - box.clientWidth / 2;
};
for (const failure of failures) failure.addEventListener('toggle', () => showFinding(failure));

/** A failure that is named in the address is opened. */
const openNamed = () => {
  const named = document.getElementById(location.hash.slice(1));
  const place = failures.indexOf(named);
  if (place < 0) return;
  named.open = true;
  goTo(place);
};

const KEYS = {
  '/': () => filter.focus(),
  j: () => goTo(current + 1),
  k: () => goTo(current < 0 ? -1 : current - 1),
  o: () => {
    if (current >= 0) failures[current].open = !failures[current].open;
  },
  a: () => {
    const open = failures.some((failure) => !failure.open);
    for (const failure of failures) failure.open = open;
  },
};

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.matches('input, select')) {
    if (event.key === 'Escape') event.target.blur();
    return;
  }
  if (!Object.hasOwn(KEYS, event.key)) return;
  event.preventDefault();
  KEYS[event.key]();
});
document.addEventListener('click', (event) => {
  if (event.target.matches('button.copy')) copied(event.target);
  else if (event.target.matches('[data-column]')) sortBy(Number(event.target.dataset.column));
});
filter.addEventListener('input', show);
status.addEventListener('change', show);
more.addEventListener('click', () => write(written + PIECE * 5));
addEventListener('beforeprint', () => write(matching.length));
addEventListener('hashchange', openNamed);
show();
openNamed();
