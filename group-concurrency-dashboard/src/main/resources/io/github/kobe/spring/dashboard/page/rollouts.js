// Rollouts: each plan with how far it is and, once it is unfolded, each tenant's change with its stages.

import { read } from './api.js';
import { Children, el, setAttribute, setText, table } from './dom.js';
import { constant, number, text, time } from './texts.js';

const TASKS = 100;
const FIRST = ['FAILED', 'ROLLBACK_FAILED', 'VALIDATION_FAILED', 'RUNNING', 'ROLLING_BACK'];
const FAILURES = ['FAILED', 'PARTIAL_FAILED', 'ROLLBACK_FAILED', 'VALIDATION_FAILED'];
const COLUMNS = ['tenant', 'status', 'stages', 'stage', 'attempt', 'failure'];

export class RolloutsView {
  constructor(context, parent) {
    this.context = context;
    this.note = el('p', { class: 'quiet', role: 'status' });
    const list = el('div');
    this.plans = new Children(list, () => new Plan(context));
    parent.append(el('h2', { tabindex: '-1' }, text('rollouts')), this.note, list);
  }

  async refresh() {
    const { rollouts } = this.context.settings;
    const report = await read(rollouts);
    this.plans.show(report.plans, (plan) => plan.planId);
    setText(this.note,
      report.plans.length === 0 ? text('rollouts.none') : report.truncated ? text('rollouts.more') : '');
    const open = [...this.plans.known].filter(([, plan]) => plan.element.open);
    await Promise.all(open.map(async ([id, plan]) => plan.showTasks(await readTasks(rollouts, id))));
  }

  end() {}
}

/** Reads as many tasks as are shown: if there are more, those first that have failed or run. */
async function readTasks(rollouts, planId) {
  const report = await read(rollouts, { limit: TASKS }, `/${planId}`);
  if (report.truncated) {
    const first = await Promise.all(FIRST.map((status) => read(rollouts, { limit: TASKS, status }, `/${planId}`)));
    const seen = new Set();
    report.tasks = [...first, report].flatMap((each) => each.tasks)
      .filter(({ taskId }) => !seen.has(taskId) && seen.add(taskId)).slice(0, TASKS);
  }
  return report;
}

/** A failure looks like one. */
function showStatus(element, status, others) {
  setText(element, constant('status', status));
  setAttribute(element, 'class', FAILURES.includes(status) ? 'phase failure' : others);
}

class Plan {
  constructor(context) {
    this.name = el('strong');
    this.status = el('span', { class: 'phase' });
    this.progress = el('progress', { max: 1 });
    this.failed = el('span', { class: 'failure' });
    this.about = el('span', { class: 'quiet' });
    this.more = el('p', { class: 'quiet' });
    this.note = el('p', { class: 'quiet' });
    const body = el('tbody');
    this.tasks = new Children(body, () => new Task());
    this.element = el('details', { class: 'plan', toggle: () => this.element.open && context.refresh() },
      el('summary', {}, this.name, ' ', this.status, ' ', this.progress, ' ', this.failed, ' ', this.about),
      this.more,
      this.note,
      table(text('rollouts.tasks'), COLUMNS.map((name) => text(`column.${name}`)), body));
  }

  update(plan) {
    const counts = Object.entries(plan.tasks);
    const all = counts.reduce((sum, [, count]) => sum + count, 0);
    const done = plan.tasks.COMPLETED ?? 0;
    setText(this.name, plan.planId);
    showStatus(this.status, plan.status, 'phase');
    const failed = FAILURES.reduce((sum, status) => sum + (plan.tasks[status] ?? 0), 0);
    setText(this.failed, failed > 0 ? text('plan.failed', { failed: number(failed) }) : '');
    this.progress.max = Math.max(1, all);
    this.progress.value = done;
    setAttribute(this.progress, 'aria-label', text('plan.done', { done: number(done), all: number(all) }));
    setText(this.about, [
      text('plan.done', { done: number(done), all: number(all) }),
      plan.waves > 1 ? text('plan.wave', { wave: number(plan.wave), waves: number(plan.waves) }) : '',
      plan.needsApproval ? text('plan.needsApproval') : '',
      plan.pauseAsked ? text('plan.pauseAsked') : '',
    ].filter(Boolean).join(' · '));
    setText(this.more, [
      text('plan.by', { name: plan.createdBy ?? '–', time: time(plan.createdAt) }),
      text('plan.atOnce', { most: number(plan.maxConcurrency) }),
      ...counts.filter(([, count]) => count > 0).map(([status, count]) => `${constant('status', status)} ${number(count)}`),
    ].join(' · '));
  }

  showTasks(report) {
    setText(this.note, report.truncated ? text('plan.more') : '');
    this.tasks.show(report.tasks, (task) => task.taskId);
  }
}

class Task {
  constructor() {
    this.progress = el('progress');
    this.cells = Object.fromEntries(COLUMNS.slice(1).map((name) => [name, el('span')]));
    this.tenant = el('th', { scope: 'row' });
    this.element = el('tr', {}, this.tenant, ...Object.entries(this.cells).map(([name, cell]) =>
      el('td', {}, name === 'stages' ? this.progress : null, ' ', cell)));
  }

  update(task) {
    const stages = `${number(task.completedStages)} / ${number(task.totalStages)}`;
    setText(this.tenant, task.tenant);
    this.progress.max = Math.max(1, task.totalStages);
    this.progress.value = task.completedStages;
    setAttribute(this.progress, 'aria-label', stages);
    showStatus(this.cells.status, task.status, null);
    setText(this.cells.stages, stages);
    setText(this.cells.stage, task.stage ?? '–');
    setText(this.cells.attempt, number(task.attempt));
    setText(this.cells.failure, task.failure ? `${task.failure.errorType}: ${task.failure.message}` : '–');
  }
}
