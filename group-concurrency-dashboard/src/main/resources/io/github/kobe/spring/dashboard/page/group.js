// One group: its limits, its last minute, who has its permits and who waits, and what may be done with it.

import { read, write } from './api.js';
import { Chart } from './charts.js';
import { Bar, Children, el, setAttribute, setText, table } from './dom.js';
import { countsOf } from './history.js';
import { legend, minuteOf, refusedOf, rejections, remember, showHeld, sourceOf, stateOf } from './groups.js';
import { sure } from './question.js';
import { constant, duration, number, seconds, span, text, time } from './texts.js';

const LIMITS = ['maxConcurrency', 'maxInFlight', 'queueThreshold', 'queueTimeout', 'weight', 'guaranteed', 'rate'];

function shown(name, value) {
  if (name === 'rate') {
    return value ?? '–';
  }
  return name === 'queueTimeout' ? duration(value) : number(value);
}

export class GroupView {
  constructor(context, parent, key) {
    this.context = context;
    this.key = key;
    this.state = el('p', { class: 'state' });
    this.refused = el('p', { class: 'failure' });
    this.bar = new Bar();
    this.facts = Object.fromEntries(['running', 'inFlight', 'held', 'queued', 'oldestWait', 'submitted', 'succeeded', 'failed',
      'cancelled', 'rejected'].map((name) => [name, el('span')]));
    this.plots = ['load', 'wait', 'rejections'].map(() => el('div', { class: 'plot', role: 'img' }));
    parent.append(
      el('p', {}, el('a', { href: '#/groups' }, text('group.back'))),
      el('h2', { tabindex: '-1' }, key),
      this.state,
      this.refused,
      el('dl', { class: 'tiles' }, ...Object.entries(this.facts).map(([name, value]) =>
        el('div', {}, el('dt', {}, text(`fact.${name}`)), el('dd', {}, value, name === 'held' ? this.bar.element : null)))),
      el('div', { class: 'columns' },
        el('section', {}, el('h3', {}, text('chart.load')), this.plots[0], legend()),
        el('section', {}, el('h3', {}, text('chart.wait')), this.plots[1]),
        el('section', {}, el('h3', {}, text('chart.rejections')), this.plots[2])),
      this.limits(),
      context.settings.groups.writable ? this.actions() : el('p', { class: 'quiet' }, text('readOnly')),
      this.list('holders', ['task', 'kind', 'since', 'thread', 'lent'], (holder) => [
        holder.taskId, constant('kind', holder.kind), time(holder.since), holder.thread ?? '–',
        text(holder.lent ? 'yes' : 'no')]),
      this.list('waiters', ['task', 'kind', 'waited', 'thread'], (waiter) => [
        waiter.taskId, constant('kind', waiter.kind), duration(waiter.waited), waiter.thread ?? '–']));
    const width = Math.max(240, this.plots[0].clientWidth);
    const size = { width, height: 150, axes: true };
    this.charts = [
      new Chart(this.plots[0], ['running', 'queued', 'limit'], { ...size, values: number }),
      new Chart(this.plots[1], ['wait'], { ...size, values: span }),
      new Chart(this.plots[2], ['rejected'], { ...size, values: number }),
    ];
  }

  limits() {
    this.limitCells = Object.fromEntries(LIMITS.map((name) => [name, [el('td'), el('td')]]));
    return table(text('limits'), ['limit', 'value', 'source'].map((name) => text(`column.${name}`)),
      el('tbody', {}, ...Object.entries(this.limitCells).map(([name, cells]) =>
        el('tr', {}, el('th', { scope: 'row' }, text(`limit.${name}`)), ...cells))));
  }

  list(name, columns, cells) {
    const body = el('tbody');
    const empty = el('p', { class: 'quiet' }, text(`none.${name}`));
    this[name] = {
      empty,
      rows: new Children(body, () => {
        const row = el('tr', {}, ...columns.map(() => el('td')));
        return { element: row, update: ({ item }) => cells(item).forEach((cell, i) => setText(row.children[i], cell)) };
      }),
    };
    return el('div', {}, table(text(name), columns.map((column) => text(`column.${column}`)), body), empty);
  }

  actions() {
    this.inputs = Object.fromEntries(LIMITS.map((name) => [name, el('input', { id: `set-${name}`, autocomplete: 'off' })]));
    this.pause = el('button', { type: 'button', click: () => this.act(this.paused ? 'resume' : 'pause') });
    return el('section', {},
      el('h3', {}, text('change')),
      el('p', { class: 'buttons' }, this.pause,
        el('button', { type: 'button', click: () => this.act('reset') }, text('reset'))),
      el('form', { class: 'bar', submit: (event) => this.set(event) },
        ...LIMITS.map((name) => el('label', { for: `set-${name}` }, text(`limit.${name}`), this.inputs[name])),
        el('button', {}, text('set'))),
      el('p', { class: 'quiet' }, text('set.how')));
  }

  set(event) {
    event.preventDefault();
    const given = LIMITS.map((name) => [name, this.inputs[name].value.trim()]).filter(([, value]) => value !== '');
    if (given.length > 0) {
      this.act('set', Object.fromEntries(given));
    }
  }

  async act(action, limits = {}) {
    const list = Object.entries(limits).map(([name, value]) => `${text(`limit.${name}`)}: ${value}`).join(', ');
    const yes = await sure(text(`sure.${action}`, { group: this.key }),
      text(`sure.${action}.more`, { limits: list }), text(action));
    if (!yes) {
      return;
    }
    const done = await this.context.attempt(async () => {
      const answer = await write(this.context.settings.groups, {
        group: this.key, action, ...limits, executor: this.context.executor ?? undefined,
      });
      if (answer) {
        this.context.answeredBy(answer.instance);
      }
    });
    if (done) {
      this.context.say(text(`done.${action}`, { group: this.key }));
      LIMITS.forEach((name) => { this.inputs[name].value = ''; });
      this.context.refresh();
    }
  }

  async refresh() {
    const { executor } = this.context;
    const group = await read(this.context.settings.groups, { group: this.key, holders: true, executor });
    if (executor !== this.context.executor) {
      return; // another one is shown meanwhile
    }
    this.context.answeredBy(group.instance);
    const { limits, totals } = group;
    this.paused = group.paused;
    setText(this.state, [
      group.rule ? text('group.rule', { rule: group.rule }) : text('group.noRule'),
      stateOf(group),
      group.overriddenSince ? text('group.overridden', { time: time(group.overriddenSince) }) : '',
    ].filter(Boolean).join(' · '));
    const facts = {
      running: number(group.running), inFlight: number(group.inFlight), held: number(group.held),
      queued: number(group.queued),
      oldestWait: group.oldestWait ? span(seconds(group.oldestWait)) : '–', submitted: number(totals.submitted),
      succeeded: number(totals.succeeded), failed: number(totals.failed), cancelled: number(totals.cancelled),
      rejected: rejections(totals.rejected) || '0',
    };
    Object.entries(facts).forEach(([name, value]) => setText(this.facts[name], value));
    showHeld(this.bar, group);
    for (const name of LIMITS) {
      setText(this.limitCells[name][0], shown(name, limits[name].value));
      setText(this.limitCells[name][1], sourceOf(limits[name], group.rule));
    }
    if (this.pause) {
      setText(this.pause, text(group.paused ? 'resume' : 'pause'));
    }
    for (const name of ['holders', 'waiters']) {
      const items = group[name] ?? [];
      this[name].rows.show(items.map((item, i) => ({ item, i })), ({ i }) => i);
      this[name].empty.hidden = items.length > 0;
    }
    const history = remember(group);
    setText(this.refused, refusedOf(history));
    this.draw(group, history);
  }

  draw(group, history) {
    const limit = group.limits.maxConcurrency.value;
    this.charts[0].show(history.times, history.values('running'), history.values('queued'),
      history.times.map(() => limit));
    this.charts[1].show(history.times, history.values('wait'));
    this.charts[2].show(history.times, history.rates('all'));
    setAttribute(this.plots[0], 'aria-label', minuteOf(history));
    setAttribute(this.plots[1], 'aria-label', text('minute.wait', { most: span(history.range('wait')[1]) }));
    setAttribute(this.plots[2], 'aria-label', text('minute.rejected', {
      rejected: Object.keys(countsOf(group.totals)).filter((name) => name !== 'all' && history.risen(name) > 0)
        .map((name) => `${constant('reason', name)} ${number(history.risen(name))}`).join(', ') || '0',
    }));
  }

  end() {
    this.charts.forEach((chart) => chart.end());
  }
}
