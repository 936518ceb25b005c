// Starts the page: which view is shown, and when it is read anew.

import { Refused } from './api.js';
import { el, setText } from './dom.js';
import { GroupView } from './group.js';
import { GroupsView, begin, forget } from './groups.js';
import { RolloutsView } from './rollouts.js';
import { ScopesView } from './scopes.js';
import { LANGUAGES, preferred, speak, text, time } from './texts.js';

const PERIOD = 1500;

const find = (id) => document.querySelector(`#${id}`);
const content = find('content');
const problem = find('problem');

/** What the views have of the page. */
const context = { settings: null, executor: null, refresh, attempt, say, answeredBy };

let view = null;
let timer = 0;
let reading = false;
let again = false;
let held = false;
/** Which instance has answered last. */
let instance = '';

/** Reads and shows, and does so again a period after that. While it reads, a further wish makes it do so once more. */
async function refresh() {
  clearTimeout(timer);
  if (reading) {
    again = true;
    return;
  }
  reading = true;
  const shown = view;
  const done = await attempt(() => shown.refresh(), () => shown === view);
  reading = false;
  if (done) {
    setText(find('updated'), text(instance ? 'updated.by' : 'updated', { time: time(Date.now()), instance }));
  }
  if (again) {
    again = false;
    refresh();
  } else if (!held && !document.hidden) {
    timer = setTimeout(refresh, PERIOD);
  }
}

/** Does something that asks an endpoint, and tells what goes wrong; true: nothing did. */
async function attempt(action, counts = () => true) {
  try {
    await action();
    if (counts()) {
      problem.hidden = true;
    }
    return true;
  } catch (failure) {
    if (counts()) {
      setText(problem, wordsOf(failure));
      problem.hidden = false;
    }
    return false;
  }
}

/** Behind a load balancer each answer may come from another instance: what was seen so far was not all of one. */
function answeredBy(name) {
  if (instance && name !== instance) {
    setText(find('instances'), text('instances', { before: instance, now: name }));
    find('instances').hidden = false;
    forget();
  }
  instance = name;
}

function wordsOf(failure) {
  if (!(failure instanceof Refused)) {
    return text('problem.noAnswer', { problem: failure.message });
  }
  if (failure.problem?.error) {
    return text('problem.refused', { problem: failure.problem.error, allowed: failure.problem.allowed ?? '–' });
  }
  return failure.status === 401 || failure.status === 403 || failure.status === 405
    ? text(`problem.${failure.status}`)
    : text('problem.status', { status: failure.status });
}

function say(done) {
  setText(find('done'), done);
}

/** Shows the view that the address names; a person that reads with the keyboard goes along with it. */
function show(moveFocus) {
  const [, name, ...rest] = location.hash.split('/');
  view?.end();
  content.replaceChildren();
  problem.hidden = true;
  say('');
  for (const link of document.querySelectorAll('[data-view]')) {
    const current = link.dataset.view === (name === 'group' ? 'groups' : name || 'groups');
    current ? link.setAttribute('aria-current', 'page') : link.removeAttribute('aria-current');
  }
  view = viewOf(name, rest.join('/'));
  if (moveFocus) {
    content.querySelector('h2').focus();
  }
  refresh();
}

function viewOf(name, rest) {
  const { scopes, rollouts } = context.settings;
  if (name === 'group' && rest !== '') {
    return new GroupView(context, content, decodeURIComponent(rest));
  }
  if (name === 'scopes' && scopes) {
    return new ScopesView(context, content);
  }
  if (name === 'rollouts' && rollouts) {
    return new RolloutsView(context, content);
  }
  return new GroupsView(context, content);
}

function options(select, values, chosen) {
  select.append(...Object.entries(values).map(([value, name]) => el('option', { value, selected: value === chosen }, name)));
}

function chooseTheme() {
  const theme = find('theme').value;
  localStorage.setItem('group-concurrency.theme', theme);
  theme ? document.documentElement.setAttribute('data-theme', theme) : document.documentElement.removeAttribute('data-theme');
}

async function start() {
  const language = preferred();
  options(find('language'), LANGUAGES, language);
  find('theme').value = localStorage.getItem('group-concurrency.theme') ?? '';
  chooseTheme();
  const [answer] = await Promise.all([fetch('settings.json'), speak(language)]);
  context.settings = await answer.json();
  const { executors, scopes, rollouts } = context.settings;
  document.querySelector('[data-view=scopes]').hidden = !scopes;
  document.querySelector('[data-view=rollouts]').hidden = !rollouts;
  if (executors.length > 1) {
    context.executor = executors[0];
    options(find('executor'), Object.fromEntries(executors.map((name) => [name, name])), executors[0]);
    find('executor-choice').hidden = false;
  }
  find('executor').addEventListener('change', (event) => {
    context.executor = event.target.value;
    begin();
    show(false);
  });
  find('language').addEventListener('change', async (event) => {
    localStorage.setItem('group-concurrency.language', event.target.value);
    await speak(event.target.value);
    show(false);
  });
  find('theme').addEventListener('change', () => {
    chooseTheme();
    show(false);
  });
  find('hold').addEventListener('click', (event) => {
    held = !held;
    event.target.setAttribute('aria-pressed', held);
    held ? clearTimeout(timer) : refresh();
  });
  document.addEventListener('visibilitychange', () => document.hidden || held || refresh());
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => show(false));
  addEventListener('hashchange', () => show(true));
  show(false);
}

attempt(start);
