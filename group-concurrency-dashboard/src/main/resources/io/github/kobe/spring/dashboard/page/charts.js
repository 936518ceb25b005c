// Lines over the last minute, drawn by uPlot.

import { SPAN } from './history.js';

const colour = (name) => getComputedStyle(document.querySelector(`#colours .${name}`)).color;

/** A line of numbers; dashed ones are limits. */
function series(name, scale) {
  return {
    stroke: () => colour(name), width: 1.5, dash: name === 'limit' ? [4, 4] : undefined, points: { show: false }, scale,
  };
}

const fromZero = { range: (_, least, most) => [0, Math.max(1, most ?? 1) * 1.05] };

/**
 * A chart whose lines have these names of colours. Small ones have no axes: their numbers stand beside them. What is refused
 * in a second has another unit than what runs or waits: beside others it has a scale of its own, and its axis is on the right and in its colour.
 */
export class Chart {
  constructor(parent, colours, { width, height, axes = false, values = String }) {
    const axis = {
      stroke: () => colour('limit'),
      grid: { stroke: () => colour('grid'), width: 1 },
      ticks: { stroke: () => colour('grid'), width: 1 },
    };
    const right = colours.length > 1 && colours.includes('rejected');
    const scaleOf = (name) => (right && name === 'rejected' ? 'rate' : 'y');
    this.plot = new uPlot({
      width,
      height,
      padding: axes ? [8, 8, 0, 0] : [2, 0, 2, 0],
      legend: { show: false },
      cursor: { show: false },
      select: { show: false },
      scales: {
        x: { time: false, range: [-SPAN, 0] },
        y: fromZero,
        ...(right ? { rate: fromZero } : {}),
      },
      axes: axes
        ? [
          { ...axis, values: (_, splits) => splits.map((at) => `${at} s`) },
          { ...axis, size: 64, values: (_, splits) => splits.map(values) },
          ...(right ? [{
            ...axis, scale: 'rate', side: 1, size: 64, stroke: () => colour('rejected'), grid: { show: false },
            values: (_, splits) => splits.map(values),
          }] : []),
        ]
        : [{ show: false }, { show: false }],
      series: [{}, ...colours.map((name) => series(name, scaleOf(name)))],
    }, [[], ...colours.map(() => [])], parent);
  }

  show(times, ...lines) {
    const now = Date.now() / 1000;
    this.plot.setData([times.map((at) => at - now), ...lines]);
  }

  end() {
    this.plot.destroy();
  }
}
