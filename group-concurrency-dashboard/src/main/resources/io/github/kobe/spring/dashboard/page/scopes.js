// The scopes that are open, as trees: in each what its forks do, and what its owner has opened inside it.

import { read } from './api.js';
import { Children, el, setText } from './dom.js';
import { constant, duration, number, text, time } from './texts.js';

export class ScopesView {
  constructor(context, parent) {
    this.context = context;
    this.note = el('p', { class: 'quiet', role: 'status' });
    const list = el('ul', { class: 'tree' });
    this.scopes = new Children(list, () => new Scope());
    parent.append(el('h2', { tabindex: '-1' }, text('scopes')), this.note, list);
  }

  async refresh() {
    const report = await read(this.context.settings.scopes, { executor: this.context.executor });
    this.context.answeredBy(report.instance);
    this.scopes.show(report.scopes, (scope) => scope.id);
    setText(this.note, report.scopes.length === 0 ? text('scopes.none') : report.truncated ? text('scopes.more') : '');
  }

  end() {}
}

/** A scope and what is below it. What was folded stays so. */
class Scope {
  constructor() {
    this.name = el('strong');
    this.about = el('span', { class: 'quiet' });
    this.totals = el('p', { class: 'quiet' });
    this.waits = el('p', { class: 'quiet' });
    const forks = el('ul');
    this.forks = new Children(forks, () => new Fork());
    const scopes = el('ul');
    this.scopes = new Children(scopes, () => new Scope());
    this.element = el('li', {}, el('details', { open: true },
      el('summary', {}, this.name, ' ', this.about), this.totals, this.waits, forks, scopes));
  }

  update(scope) {
    const { owner, totals } = scope;
    setText(this.name, scope.name);
    setText(this.about, [
      text('scope.owner', { thread: owner.thread ?? '–', phase: constant('owner', owner.phase) }),
      text('scope.opened', { time: time(scope.openedAt) }),
      scope.deadline ? text('scope.deadline', { time: time(scope.deadline) }) : '',
      scope.cancelled ? text('scope.cancelled') : '',
    ].filter(Boolean).join(' · '));
    setText(this.totals, text('scope.totals', {
      unfinished: number(scope.unfinished), started: number(totals.started), succeeded: number(totals.succeeded),
      failed: number(totals.failed), cancelled: number(totals.cancelled), longest: duration(totals.longest),
    }));
    setText(this.waits, Object.entries(scope.holders).map(([group, holders]) => text('scope.holders', {
      group, holders: holders.map((holder) => holder.thread ?? holder.taskId).join(', '),
    })).join(' · '));
    this.forks.show(scope.forks, (fork) => fork.id);
    this.scopes.show(scope.scopes, (inside) => inside.id);
  }
}

class Fork {
  constructor() {
    this.phase = el('span', { class: 'phase' });
    this.name = el('strong');
    this.group = el('a');
    this.about = el('span', { class: 'quiet' });
    const scopes = el('ul');
    this.scopes = new Children(scopes, () => new Scope());
    this.element = el('li', {}, this.phase, ' ', this.name, ' ', this.group, ' ', this.about, scopes);
  }

  update(fork) {
    setText(this.phase, constant('phase', fork.phase));
    setText(this.name, fork.name);
    setText(this.group, fork.group);
    this.group.href = `#/group/${encodeURIComponent(fork.group)}`;
    setText(this.about, [text('fork.since', { time: time(fork.forkedAt) }), fork.thread ?? ''].filter(Boolean).join(' · '));
    this.scopes.show(fork.scopes, (inside) => inside.id);
  }
}
