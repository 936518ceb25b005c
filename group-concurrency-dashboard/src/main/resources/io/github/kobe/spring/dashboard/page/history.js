// What the page has seen of the last minute. The server keeps none: it begins when a group is first shown.

export const SPAN = 60;

/** Samples of one group, or of all: numbers by name, and counts that only rise. */
export class History {
  constructor() {
    this.samples = [];
  }

  add(now, values, counts) {
    if (now - this.samples.at(-1)?.now > SPAN) {
      this.samples = []; // what has happened since is not of the last minute alone
    }
    this.samples.push({ now, values, counts });
    // One older than the span, for the rate of the first one in it.
    while (this.samples.length > 2 && this.samples[1].now < now - SPAN) {
      this.samples.shift();
    }
  }

  get times() {
    return this.samples.map((sample) => sample.now);
  }

  values(name) {
    return this.samples.map((sample) => sample.values[name]);
  }

  /** How fast a count rose before each sample, a second; one that fell was begun anew. */
  rates(name) {
    return this.samples.map((sample, i) => {
      const before = this.samples[i - 1];
      if (!before) {
        return 0;
      }
      const risen = (sample.counts[name] ?? 0) - (before.counts[name] ?? 0);
      return Math.max(0, risen) / Math.max(0.001, sample.now - before.now);
    });
  }

  /** The least and the most of a number, as a text. */
  range(name) {
    const values = this.values(name);
    return [Math.min(...values), Math.max(...values)];
  }

  risen(name) {
    const first = this.samples[0];
    const last = this.samples.at(-1);
    return first ? Math.max(0, (last.counts[name] ?? 0) - (first.counts[name] ?? 0)) : 0;
  }
}

/** The histories of all groups that were seen in the last minute. */
export class Histories {
  constructor() {
    this.all = new Map();
  }

  add(now, key, values, counts) {
    let history = this.all.get(key);
    if (!history) {
      history = new History();
      this.all.set(key, history);
    }
    history.add(now, values, counts);
    return history;
  }

  forgetBefore(now) {
    for (const [key, history] of this.all) {
      if (history.samples.at(-1).now < now - SPAN) {
        this.all.delete(key);
      }
    }
  }

  clear() {
    this.all.clear();
  }
}

/** What is kept of a group, or of all: the counts are of rejections by reason, and of all of them. */
export function countsOf(totals) {
  const all = Object.values(totals.rejected).reduce((sum, count) => sum + count, 0);
  return { ...totals.rejected, all };
}
