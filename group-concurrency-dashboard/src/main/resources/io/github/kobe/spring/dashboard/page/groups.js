// All groups together, and the busiest of them, or of those that were searched for.

import { read } from './api.js';
import { Chart } from './charts.js';
import { Bar, Children, el, setAttribute, setText, table } from './dom.js';
import { Histories, History, countsOf } from './history.js';
import { constant, duration, number, seconds, span, text } from './texts.js';

const PAGE = 50;
const TYPING = 250;

/** What has been seen stays while other views are shown. */
const all = new History();
const groups = new Histories();
const NOTHING = { search: '', offset: 0, byRejected: false };

let asked = NOTHING;

export function forget() {
  all.samples = [];
  groups.clear();
}

/** Shows another executor: what was asked of the one before is of no use. */
export function begin() {
  forget();
  asked = NOTHING;
}

/** Keeps what was read of a group, whichever view has read it. */
export function remember(group) {
  const counts = countsOf(group.totals);
  return groups.add(Date.now() / 1000, group.group,
    { running: group.running, queued: group.queued, wait: seconds(group.oldestWait) }, counts);
}

/** In the order of the server, which an object loses if its names are numbers. */
function inOrder(found, byRejected) {
  const measure = byRejected ? (group) => countsOf(group.totals).all : (group) => group.running + group.queued;
  return Object.values(found).sort((a, b) => measure(b) - measure(a) || (a.group < b.group ? -1 : 1));
}

export function rejections(rejected) {
  return Object.entries(rejected)
    .filter(([, count]) => count > 0)
    .map(([reason, count]) => `${constant('reason', reason)} ${number(count)}`)
    .join(', ');
}

export function sourceOf(limit, rule) {
  const source = constant('source', limit.source);
  return limit.source === 'PATTERN' && rule ? `${source} ${rule}` : source;
}

/** That a group is paused, or why its work waits, in words; empty: neither. */
export function stateOf(group) {
  if (group.paused) {
    return text('paused');
  }
  return group.waitsFor ? constant('waits', group.waitsFor) : '';
}

/** Shows what a group holds of what it may have in flight, with its guarantee as a mark; nothing, if it has no limit. */
export function showHeld(bar, { held, limits }) {
  const most = limits.maxInFlight.value;
  bar.element.hidden = most === null;
  const guaranteed = Math.min(limits.guaranteed.value, most);
  bar.show(held, guaranteed, most, guaranteed > 0
    ? text('held.guaranteed', { held: number(held), guaranteed: number(guaranteed) })
    : text('held', { held: number(held) }));
}

export class GroupsView {
  constructor(context, parent) {
    this.context = context;
    this.tiles = Object.fromEntries(['inFlight', 'running', 'queued', 'oldestWait', 'groups', 'rejected']
      .map((name) => [name, el('span')]));
    this.meter = el('meter', { min: 0, 'aria-label': text('global.inFlight'), hidden: true });
    this.plot = el('div', { class: 'plot', role: 'img' });
    this.found = el('p', { class: 'quiet', role: 'status' });
    this.search = el('input', { type: 'search', id: 'search', autocomplete: 'off', input: () => this.type() });
    this.search.value = asked.search;
    this.order = el('button', { type: 'button', click: () => this.ask({ ...asked, offset: 0, byRejected: !asked.byRejected }) },
      text('sort.rejected'));
    this.back = el('button', { type: 'button', click: () => this.turn(-PAGE) }, text('page.back'));
    this.next = el('button', { type: 'button', click: () => this.turn(PAGE) }, text('page.next'));
    const body = el('tbody');
    this.rows = new Children(body, () => new Row());
    const heads = ['group', 'running', 'inFlight', 'queued', 'oldestWait', 'rejected', 'minute'];
    parent.append(
      el('h2', { tabindex: '-1' }, text('global')),
      el('dl', { class: 'tiles' }, ...Object.entries(this.tiles).map(([name, value]) =>
        el('div', {}, el('dt', {}, text(`global.${name}`)), el('dd', {}, value, name === 'inFlight' ? this.meter : null)))),
      this.plot,
      legend(),
      el('h2', {}, text('groups')),
      el('div', { class: 'bar', role: 'search' },
        el('label', { for: 'search' }, text('search')), this.search, this.order, this.back, this.next, this.found),
      table(text('groups.caption'), heads.map((name) => text(`column.${name}`)), body, 'groups'));
    this.chart = new Chart(this.plot, ['running', 'queued', 'rejected'],
      { width: Math.max(300, this.plot.clientWidth), height: 140, axes: true, values: number });
  }

  async refresh() {
    const wanted = asked;
    const { executor } = this.context;
    const report = await read(this.context.settings.groups, {
      executor, search: wanted.search, offset: wanted.offset || null, limit: PAGE,
      sort: wanted.byRejected ? 'rejected' : null,
    });
    if (wanted !== asked || executor !== this.context.executor) {
      return; // something else was asked for meanwhile
    }
    this.context.answeredBy(report.instance);
    if (report.found > 0 && wanted.offset >= report.found) {
      asked = { ...asked, offset: Math.floor((report.found - 1) / PAGE) * PAGE };
    }
    this.showAll(report);
    const shown = inOrder(report.groups, wanted.byRejected);
    const now = Date.now() / 1000;
    this.rows.show(shown.map((group) => ({ group, history: remember(group) })), (item) => item.group.group);
    groups.forgetBefore(now);
    const last = wanted.offset + shown.length;
    setText(this.found, report.found === 0 ? text('found.none') : text('found', {
      first: number(wanted.offset + 1), last: number(last), found: number(report.found),
    }));
    setAttribute(this.order, 'aria-pressed', wanted.byRejected ? 'true' : 'false');
    setAttribute(this.back, 'aria-disabled', wanted.offset === 0 ? 'true' : 'false');
    setAttribute(this.next, 'aria-disabled', report.truncated ? 'false' : 'true');
  }

  showAll({ global, totals }) {
    setText(this.tiles.inFlight, `${number(global.inFlight)} / ${number(global.maxInFlight)}${
      global.headroom > 0 ? ` (${text('headroom', { permits: number(global.headroom) })})` : ''}`);
    setText(this.tiles.running, number(global.running));
    setText(this.tiles.queued, `${number(global.queued)} / ${number(global.queueThreshold)}`);
    setText(this.tiles.oldestWait, global.oldestWait ? duration(global.oldestWait) : '–');
    setText(this.tiles.groups, number(global.groups));
    setText(this.tiles.rejected, rejections(totals.rejected) || '0');
    this.meter.hidden = global.maxInFlight === null;
    this.meter.max = global.maxInFlight ?? 1;
    this.meter.value = global.inFlight;
    all.add(Date.now() / 1000, { running: global.running, queued: global.queued }, countsOf(totals));
    setAttribute(this.tiles.rejected, 'class', all.risen('all') > 0 ? 'failure' : null);
    setAttribute(this.plot, 'aria-label', minuteOf(all));
    this.chart.show(all.times, all.values('running'), all.values('queued'), all.rates('all'));
  }

  type() {
    clearTimeout(this.typing);
    this.typing = setTimeout(() => this.ask({ ...asked, search: this.search.value, offset: 0 }), TYPING);
  }

  turn(by) {
    const button = by < 0 ? this.back : this.next;
    if (button.getAttribute('aria-disabled') !== 'true') {
      this.ask({ ...asked, offset: Math.max(0, asked.offset + by) });
    }
  }

  ask(next) {
    asked = next;
    this.context.refresh();
  }

  end() {
    clearTimeout(this.typing);
    this.chart.end();
    this.rows.end();
  }
}

export function legend() {
  return el('p', { class: 'legend', 'aria-hidden': 'true' }, ...['running', 'queued', 'rejected'].map((name) =>
    el('span', { class: name }, text(`line.${name}`))));
}

/** What a chart shows, in words. */
export function minuteOf(history) {
  const [leastRunning, mostRunning] = history.range('running');
  const [leastQueued, mostQueued] = history.range('queued');
  return text('minute', {
    leastRunning: number(leastRunning), mostRunning: number(mostRunning),
    leastQueued: number(leastQueued), mostQueued: number(mostQueued), rejected: number(history.risen('all')),
  });
}

/** What is going wrong in a group, in words; empty: nothing. */
export function refusedOf(history) {
  const refused = history.risen('all');
  return refused > 0 ? text('refused', { refused: number(refused) }) : '';
}

/** One line of the table. */
class Row {
  constructor() {
    this.link = el('a');
    this.rule = el('small');
    this.state = el('small', { class: 'state' });
    this.refused = el('small', { class: 'failure' });
    this.cells = Object.fromEntries(['running', 'inFlight', 'queued', 'oldestWait', 'rejected']
      .map((name) => [name, { value: el('span'), more: el('small') }]));
    this.bar = new Bar();
    this.plot = el('div', { class: 'spark', role: 'img' });
    this.element = el('tr', {},
      el('th', { scope: 'row' }, this.link, this.refused, this.state, this.rule),
      ...Object.entries(this.cells).map(([name, cell]) =>
        el('td', {}, cell.value, name === 'inFlight' ? this.bar.element : null, cell.more)),
      el('td', {}, this.plot));
    this.chart = new Chart(this.plot, ['running', 'queued', 'rejected'], { width: 150, height: 32 });
  }

  update({ group, history }) {
    const { limits } = group;
    setText(this.link, group.group);
    setAttribute(this.link, 'href', `#/group/${encodeURIComponent(group.group)}`);
    setText(this.rule, group.rule && group.rule !== group.group ? group.rule : '');
    setText(this.state, [
      stateOf(group),
      group.overriddenSince ? text('overridden') : '',
    ].filter(Boolean).join(' · '));
    setText(this.refused, refusedOf(history));
    this.show('running', `${number(group.running)} / ${number(limits.maxConcurrency.value)}`,
      sourceOf(limits.maxConcurrency));
    this.show('inFlight', `${number(group.inFlight)} / ${number(limits.maxInFlight.value)}`,
      sourceOf(limits.maxInFlight));
    showHeld(this.bar, group);
    this.show('queued', `${number(group.queued)} / ${number(limits.queueThreshold.value)}`,
      sourceOf(limits.queueThreshold));
    this.show('oldestWait', `${group.oldestWait ? span(seconds(group.oldestWait)) : '–'} / ${
      duration(limits.queueTimeout.value)}`, sourceOf(limits.queueTimeout));
    const all = Object.values(group.totals.rejected).reduce((sum, count) => sum + count, 0);
    this.show('rejected', number(all), rejections(group.totals.rejected));
    setAttribute(this.plot, 'aria-label', minuteOf(history));
    this.chart.show(history.times, history.values('running'), history.values('queued'), history.rates('all'));
  }

  show(name, value, more) {
    setText(this.cells[name].value, value);
    setText(this.cells[name].more, more);
  }

  end() {
    this.chart.end();
  }
}
