// The page: shows runs, plays them, and has settings changed. Texts go in as text alone.
'use strict';

const SPEEDS = [5, 10, 20, 60]; // in how many seconds a run is played
const STEPS = 500; // as many as the slider has
const JUMPS = 20; // how many steps a run is played in where motion is to be reduced
const LANGUAGE = 'group-concurrency.language';

const byId = (id) => document.getElementById(id);
const calm = matchMedia('(prefers-reduced-motion: reduce)');

let language = 'en';
let numbers = new Intl.NumberFormat('en');
let settings = null;
let example = null;
let shown = []; // a run for each rule that is shown, with its picture
let end = 1;
let time = 0;
let playing = null;
let badAddress = false;

function text(name, values = {}) {
  return TEXTS[language][name].replace(/\{(\w+)\}/g, (_, value) => values[value] ?? '');
}

function el(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    if (typeof value === 'function') {
      element.addEventListener(attribute, value);
    } else if (value !== null && value !== false) {
      element.setAttribute(attribute, value === true ? '' : value);
    }
  }
  element.append(...children);
  return element;
}

function span(micros) {
  const millis = micros / 1000;
  return millis < 1000
    ? text('unit.ms', { n: numbers.format(millis < 10 ? Math.round(millis * 10) / 10 : Math.round(millis)) })
    : text('unit.s', { n: numbers.format(Math.round(millis / 10) / 100) });
}

// ---- runs

/** Plays the settings by each rule that is shown, and shows them as they are at the end. */
function simulateAll() {
  const rules = settings.compare === 'none' ? ['turns'] : [settings.compare, 'turns'];
  const runs = rules.map((rule) => ({ rule, run: simulate(settings, rule) }));
  end = Math.max(1, ...runs.map(({ run }) => run.end));
  shown = runs.map(({ rule, run }) => ({
    rule,
    run,
    fares: settings.tenants.map((_, tenant) => fared(run, tenant)),
    ...figureOf(rule),
  }));
  byId('runs').replaceChildren(...shown.map(({ element }) => element));
  pause();
  sayWords();
  prepareAll();
  showSummary();
  goTo(end);
}

function figureOf(rule) {
  const canvas = el('canvas', { role: 'img', 'data-rule': rule });
  const title = el('h3');
  const about = el('p', { class: 'quiet' });
  const rows = settings.tenants.map((tenant, index) => {
    const filled = el('span', { class: 'filled' });
    const mark = el('span', { class: 'mark' });
    const said = el('span', { class: 'said' });
    mark.hidden = tenant.guaranteed === 0;
    mark.style.left = `${(100 * tenant.guaranteed) / settings.cap}%`;
    const element = el('li', { class: `tenant-${index}` },
      el('span', { class: 'name', title: tenant.name }, tenant.name),
      el('div', { class: 'gauge' }, filled, mark),
      said);
    return { element, filled, said };
  });
  const holds = el('ul', { class: 'holds' }, ...rows.map(({ element }) => element));
  const element = el('div', { class: 'run' }, title, about, canvas, holds);
  return { element, canvas, title, about, rows, picture: new Picture(canvas) };
}

/** Says in words what the pictures show. */
function sayWords() {
  for (const { rule, run, fares, title, about, canvas } of shown) {
    title.textContent = text(`rule.${rule}`);
    about.textContent = text('picture', { most: numbers.format(mostWaiting(run)) });
    const tenants = fares.map(({ median, p99, done }, tenant) => text('picture.tenant', {
      name: settings.tenants[tenant].name, median: span(median), p99: span(p99), done: span(done),
    }));
    const values = { rule: text(`rule.${rule}`), tenants: tenants.join(' '), end: span(run.end) };
    canvas.setAttribute('aria-label', text('picture.words', values));
  }
}

function prepareAll() {
  const ticks = ticksOf(end).map((at) => ({ at, words: span(at) }));
  shown.forEach(({ picture, run }) => picture.prepare(run, settings, end, ticks));
}

function showSummary() {
  const bodies = settings.tenants.map((tenant, index) => {
    const title = text('tenant.tasks', { name: tenant.name, tasks: numbers.format(tenant.tasks) });
    return el('tbody', { class: `tenant-${index}` },
      el('tr', {}, el('th', { scope: 'rowgroup', colspan: 5 }, el('span', { class: 'name' }, title))),
      ...shown.map(({ rule, fares }) => {
        const { median, p99, holds, done } = fares[index];
        const held = holds === null ? '–' : numbers.format(Math.round(holds * 10) / 10);
        return el('tr', {},
          el('th', { scope: 'row' }, text(`short.${rule}`)),
          ...[span(median), span(p99), held, span(done)].map((cell) => el('td', {}, cell)));
      }));
  });
  const table = byId('summary');
  table.replaceChildren(...[...table.children].filter((child) => child.tagName !== 'TBODY'), ...bodies);
}

// ---- time

function goTo(wanted) {
  time = Math.min(end, Math.max(0, wanted));
  const slider = byId('moment');
  slider.value = String(Math.round((time / end) * STEPS));
  const now = text('moment.of', { now: span(time), end: span(end) });
  byId('time').textContent = now;
  for (const { run, rows, fares, picture } of shown) {
    picture.show(time);
    const state = stateAt(run, time);
    rows.forEach(({ filled, said }, tenant) => {
      const values = {
        held: numbers.format(state.held[tenant]),
        waiting: numbers.format(state.waiting[tenant]),
        guaranteed: settings.tenants[tenant].guaranteed,
      };
      const isDone = time >= fares[tenant].done;
      filled.style.width = `${(100 * state.held[tenant]) / settings.cap}%`;
      said.textContent = isDone
        ? text('now.done', { done: span(fares[tenant].done) })
        : text(values.guaranteed > 0 ? 'now.guaranteed' : 'now', values);
    });
  }
  const { run } = shown[shown.length - 1];
  const state = stateAt(run, time);
  const tenants = settings.tenants.map(({ name }, tenant) =>
    text('now.words', { name, held: state.held[tenant], waiting: state.waiting[tenant] }));
  slider.setAttribute('aria-valuetext', text('moment.words', { now, tenants: tenants.join('; ') }));
}

function play() {
  if (time >= end) {
    goTo(0);
  }
  const seconds = Number(byId('speed').value);
  let before = performance.now();
  playing = { handle: 0 };
  const step = (now) => {
    const passed = now - before;
    if (!calm.matches || passed >= (1000 * seconds) / JUMPS) {
      before = now;
      goTo(time + (end * passed) / (1000 * seconds));
    }
    if (time >= end) {
      pause();
    } else {
      playing.handle = requestAnimationFrame(step);
    }
  };
  playing.handle = requestAnimationFrame(step);
  byId('play').textContent = text('pause');
}

function pause() {
  if (playing) {
    cancelAnimationFrame(playing.handle);
    playing = null;
  }
  byId('play').textContent = text('play');
}

function toggle() {
  if (playing) {
    pause();
  } else {
    play();
  }
}

/** Keys move in time, unless what has the focus takes them itself. */
function onKey(event) {
  const focused = event.target;
  const isChord = event.ctrlKey || event.metaKey || event.altKey || event.shiftKey;
  if (isChord || focused.closest('select, button, a, input:not([type=range])')) {
    return;
  }
  const isSlider = focused.matches('input');
  const moves = { ArrowLeft: time - end / 50, ArrowRight: time + end / 50, Home: 0, End: end };
  if (event.key === ' ') {
    toggle();
  } else if (!isSlider && event.key in moves) {
    pause();
    goTo(moves[event.key]);
  } else {
    return;
  }
  event.preventDefault();
}

// ---- settings

function show(chosen, name = exampleOf(chosen)) {
  settings = chosen;
  example = name;
  simulateAll();
  showExample();
}

function exampleOf(chosen) {
  return Object.keys(EXAMPLES).find((name) => written(EXAMPLES[name]) === written(chosen)) ?? null;
}

function showExample() {
  for (const button of byId('examples').children) {
    button.setAttribute('aria-pressed', String(button.dataset.example === example));
  }
  byId('see').textContent = text(`see.${example ?? 'own'}`);
  byId('compare').value = settings.compare;
}

function copy(chosen) {
  return { ...chosen, tenants: chosen.tenants.map((tenant) => ({ ...tenant })) };
}

/** Puts settings into force, into the fields and into the address. */
function choose(chosen) {
  badAddress = false;
  show(copy(chosen));
  fillFields();
  note();
}

function note() {
  history.replaceState(null, '', `#${written(settings)}`);
}

// ---- language, and the beginning

function speak(wanted) {
  language = wanted;
  const tag = wanted === 'zh' ? 'zh-CN' : 'en';
  numbers = new Intl.NumberFormat(tag);
  document.documentElement.lang = tag;
  document.title = text('title');
  byId('language').value = wanted;
  for (const element of document.querySelectorAll('[data-text]')) {
    element.textContent = text(element.dataset.text);
  }
  byId('examples').replaceChildren(...Object.keys(EXAMPLES).map((name) =>
    el('button', { type: 'button', 'data-example': name, click: () => choose(EXAMPLES[name]) },
      text(`example.${name}`))));
  byId('compare').replaceChildren(...COMPARISONS.map((name) => el('option', { value: name }, text(`compare.${name}`))));
  const speed = byId('speed').value || '10';
  byId('speed').replaceChildren(...SPEEDS.map((seconds) =>
    el('option', { value: seconds }, text('unit.s', { n: numbers.format(seconds) }))));
  byId('speed').value = speed;
}

/** The language that was chosen here or on the live page, else the first of the browser's that there is. */
function preferred() {
  let chosen = null;
  try {
    chosen = localStorage.getItem(LANGUAGE);
  } catch {
    // It may be forbidden: then the browser's language counts.
  }
  return [chosen, ...navigator.languages.map((tag) => tag.split('-')[0])].find((known) => known in TEXTS) ?? 'en';
}

function fromAddress() {
  const found = read(location.hash);
  badAddress = found === null && location.hash.length > 1;
  show(found ?? copy(EXAMPLES.flood));
  fillFields();
}

function begin() {
  speak(preferred());
  fromAddress();
  document.querySelector('.skip').addEventListener('click', (event) => {
    event.preventDefault(); // the address is for settings
    byId('picture').focus();
  });
  byId('play').addEventListener('click', toggle);
  byId('moment').addEventListener('input', (event) => {
    pause();
    goTo((Number(event.target.value) / STEPS) * end);
  });
  byId('compare').addEventListener('change', (event) => {
    show({ ...settings, compare: event.target.value });
    note();
  });
  byId('settings').addEventListener('input', onTyped);
  byId('settings').addEventListener('submit', (event) => event.preventDefault());
  byId('add').addEventListener('click', add);
  byId('language').addEventListener('change', (event) => {
    try {
      localStorage.setItem(LANGUAGE, event.target.value);
    } catch {
      // Then it is the language of this visit only.
    }
    speak(event.target.value);
    show(settings, example);
    fillFields();
  });
  document.addEventListener('keydown', onKey);
  window.addEventListener('hashchange', fromAddress);
  const redraw = () => {
    prepareAll();
    goTo(time);
  };
  window.addEventListener('resize', redraw);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
}

begin();
