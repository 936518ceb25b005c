// Draws a run: a row for each permit with a bar for each task, and below what waits. What is still to come is pale.
'use strict';

const WAITING_HEIGHT = 56;
const TICKS_HEIGHT = 22;
const GAP = 6;
const PALE = 0.22;

class Picture {
  constructor(canvas) {
    this.canvas = canvas;
    this.whole = document.createElement('canvas');
  }

  /** Draws all of a run, to be shown in parts; `end` is where the time of the picture ends. */
  prepare(run, settings, end, ticks) {
    const row = Math.max(1, Math.min(10, Math.floor(200 / settings.cap)));
    const rows = row * settings.cap;
    this.end = end;
    this.width = Math.max(1, this.canvas.clientWidth); // in a window that is being closed or folded it may be none
    this.height = rows + GAP + WAITING_HEIGHT + TICKS_HEIGHT;
    this.drawn = rows + GAP + WAITING_HEIGHT;
    this.ticks = ticks;
    const scale = window.devicePixelRatio || 1;
    for (const canvas of [this.canvas, this.whole]) {
      canvas.width = Math.round(this.width * scale);
      canvas.height = Math.round(this.height * scale);
    }
    this.canvas.style.height = `${this.height}px`;
    const style = getComputedStyle(document.documentElement);
    const colours = settings.tenants.map((_, index) => style.getPropertyValue(`--tenant-${index}`));
    this.colours = colours.map(resolved);
    this.ink = resolved(style.getPropertyValue('--ink'));
    this.quiet = resolved(style.getPropertyValue('--quiet'));
    this.line = resolved(style.getPropertyValue('--line'));
    this.font = `12px ${style.fontFamily}`;

    const pen = this.whole.getContext('2d');
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    this.drawTasks(pen, run, row);
    this.drawWaiting(pen, run, rows + GAP);
  }

  x(time) {
    return (time / this.end) * this.width;
  }

  drawTasks(pen, run, row) {
    const high = row > 3 ? row - 1 : row;
    for (const task of run.tasks) {
      const from = this.x(task.starts);
      const wide = this.x(task.ends) - from;
      pen.fillStyle = this.colours[task.tenant];
      pen.fillRect(from, task.lane * row, wide > 4 ? wide - 1 : wide, high);
    }
  }

  /** One shape for each tenant, on those of the tenants before it. */
  drawWaiting(pen, run, top) {
    const most = Math.max(1, mostWaiting(run));
    const bottom = top + WAITING_HEIGHT;
    const below = run.states.map(() => 0);
    this.colours.forEach((colour, tenant) => {
      pen.fillStyle = colour;
      pen.beginPath();
      run.states.forEach((state, index) => {
        const next = run.states[index + 1];
        const count = state.waiting[tenant];
        if (next && count > 0) {
          const from = this.x(state.at);
          const high = Math.max(1, (count / most) * WAITING_HEIGHT);
          pen.rect(from, bottom - below[index] - high, this.x(next.at) - from, high);
          below[index] += high;
        }
      });
      pen.fill();
    });
  }

  show(time) {
    const pen = this.canvas.getContext('2d');
    const scale = window.devicePixelRatio || 1;
    const now = this.x(time);
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, this.width, this.height);
    pen.globalAlpha = PALE;
    pen.drawImage(this.whole, 0, 0, this.width, this.height);
    pen.globalAlpha = 1;
    pen.save();
    pen.beginPath();
    pen.rect(0, 0, now, this.height);
    pen.clip();
    pen.clearRect(0, 0, now, this.height);
    pen.drawImage(this.whole, 0, 0, this.width, this.height);
    pen.restore();

    pen.fillStyle = this.line;
    pen.fillRect(0, this.drawn, this.width, 1);
    pen.fillStyle = this.quiet;
    pen.font = this.font;
    pen.textBaseline = 'bottom';
    for (const { at, words } of this.ticks) {
      const wide = pen.measureText(words).width;
      pen.fillRect(Math.min(this.x(at), this.width - 1), this.drawn, 1, 5);
      pen.fillText(words, Math.min(Math.max(0, this.x(at) - wide / 2), this.width - wide), this.height);
    }
    pen.fillStyle = this.ink;
    pen.fillRect(Math.min(Math.max(0, now - 1), this.width - 2), 0, 2, this.drawn);
  }
}

function mostWaiting(run) {
  return run.states.reduce((most, state) => Math.max(most, state.waiting.reduce((all, count) => all + count, 0)), 0);
}

/** A colour as the canvas takes it: it doesn't know that there is a light and a dark one. */
function resolved(colour) {
  const probe = document.createElement('i');
  probe.style.color = colour;
  probe.hidden = true;
  document.body.append(probe);
  const known = getComputedStyle(probe).color;
  probe.remove();
  return known;
}

/** Where the axis has marks: some five round times. */
function ticksOf(end) {
  const rough = end / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough);
  return Array.from({ length: Math.floor(end / step) + 1 }, (_, index) => index * step);
}
