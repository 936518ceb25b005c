// Who gets which permit when: the rule of the engine as plain code on a clock of its own. It knows nothing of the page.
//
// The engine has this rule in Ledger.java and Turns.java, in the same words. A test plays the same histories on both.
'use strict';

/** Times are whole microseconds inside, and milliseconds in settings. */
const MICROS = 1000;

/** Numbers from 0 to 1 as if by chance, but the same ones for the same seed. */
function chance(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** The tasks of all tenants in the order in which they come. Each tenant has chances of its own. */
function tasksOf(settings) {
  const tasks = [];
  settings.tenants.forEach((tenant, index) => {
    const next = chance(settings.seed * 31 + index);
    let comes = tenant.at * MICROS;
    for (let number = 0; number < tenant.tasks; number++) {
      if (number > 0 && tenant.rate > 0) {
        comes += (1000 * MICROS / tenant.rate) * (settings.varies ? -Math.log(1 - next()) : 1);
      }
      const length = tenant.length * MICROS * (settings.varies ? 0.5 + next() : 1);
      tasks.push({ tenant: index, number, comes: Math.round(comes), length: Math.max(1, Math.round(length)) });
    }
  });
  return tasks.sort((one, other) => one.comes - other.comes || one.tenant - other.tenant || one.number - other.number);
}

/** What a tenant holds, and what waits. */
class Group {
  constructor(tenant) {
    this.limit = tenant.limit ?? Infinity;
    this.weight = tenant.weight;
    this.guaranteed = Math.min(tenant.guaranteed, this.limit);
    this.own = tenant.own ?? true;
    this.held = 0;
    this.queue = [];
    this.place = null;
    this.leftInTurn = 0;
  }

  isEligible() {
    return this.queue.length > 0 && this.held < this.limit;
  }

  /** Whether it holds less than its guarantee and one weight: then it may have the headroom. */
  holdsLittle() {
    return this.held - this.guaranteed < this.weight;
  }

  /** Its class and level as one number: the lower, the earlier it gets a permit. */
  placeNow() {
    return this.held < this.guaranteed
      ? (this.own ? 0 : 1024) + placeOf(Math.floor(this.held / this.weight))
      : 2048 + placeOf(Math.floor((this.held - this.guaranteed) / this.weight));
  }
}

/** Levels up to 64 have a place each; from there on each doubling has 32. */
function placeOf(level) {
  if (level < 64) {
    return level;
  }
  const doublings = 31 - Math.clz32(level >>> 6);
  return 64 + doublings * 32 + ((level >>> (doublings + 1)) & 31);
}

/** Groups that lack nothing but a free permit: by place, and at the same place in a ring. */
class Turns {
  constructor() {
    this.rings = new Map();
  }

  /** Whose turn it is. */
  first() {
    return this.rings.size === 0 ? null : this.rings.get(Math.min(...this.rings.keys()))[0];
  }

  /** Puts a group at the end of the ring of its place, unless it is there. */
  put(group) {
    const place = group.placeNow();
    if (group.place === place) {
      return;
    }
    this.leave(group);
    const ring = this.rings.get(place);
    if (ring) {
      ring.push(group);
    } else {
      this.rings.set(place, [group]);
    }
    group.place = place;
  }

  leave(group) {
    if (group.place === null) {
      return;
    }
    const ring = this.rings.get(group.place).filter((other) => other !== group);
    if (ring.length === 0) {
      this.rings.delete(group.place);
    } else {
      this.rings.set(group.place, ring);
    }
    group.place = null;
    group.leftInTurn = 0;
  }

  passOn(group) {
    const ring = this.rings.get(group.place);
    ring.push(ring.shift());
  }
}

/** The rule of the engine: within limits, who holds least for its weight; guarantees come first, and headroom last. */
class FairTurns {
  constructor(settings) {
    this.free = settings.cap;
    this.headroom = settings.headroom;
    this.groups = settings.tenants.map((tenant) => new Group(tenant));
    this.turns = new Turns();
  }

  ask(task, start) {
    this.groups[task.tenant].queue.push(task);
    this.look(this.groups[task.tenant], start);
  }

  giveBack(task, start) {
    this.groups[task.tenant].held--;
    this.free++;
    this.look(this.groups[task.tenant], start);
  }

  look(group, start) {
    if (group.isEligible()) {
      this.turns.put(group);
    } else {
      this.turns.leave(group);
    }
    for (let first = this.turns.first(); first && this.mayTake(first); first = this.turns.first()) {
      this.grant(first, start);
    }
  }

  mayTake(group) {
    return this.free > this.headroom || (this.free > 0 && group.holdsLittle());
  }

  grant(group, start) {
    if (group.leftInTurn === 0) {
      group.leftInTurn = group.weight;
    }
    const place = group.place;
    this.free--;
    group.held++;
    this.turns.put(group);
    start(group.queue.shift());
    if (group.place === place && --group.leftInTurn === 0) {
      this.turns.passOn(group);
    }
    if (!group.isEligible()) {
      this.turns.leave(group);
    }
  }
}

/** One semaphore for all: who came first starts first, passed by others only where its tenant's limit is reached. */
class OneQueue {
  constructor(settings, limited) {
    this.free = settings.cap;
    this.limits = settings.tenants.map((tenant) => (limited && tenant.limit) || Infinity);
    this.held = settings.tenants.map(() => 0);
    this.queue = [];
  }

  ask(task, start) {
    this.queue.push(task);
    this.look(start);
  }

  giveBack(task, start) {
    this.held[task.tenant]--;
    this.free++;
    this.look(start);
  }

  look(start) {
    while (this.free > 0) {
      const index = this.queue.findIndex((task) => this.held[task.tenant] < this.limits[task.tenant]);
      if (index < 0) {
        return;
      }
      const [task] = this.queue.splice(index, 1);
      this.held[task.tenant]++;
      this.free--;
      start(task);
    }
  }
}

const RULES = {
  turns: (settings) => new FairTurns(settings),
  limits: (settings) => new OneQueue(settings, true),
  plain: (settings) => new OneQueue(settings, false),
};

/**
 * Plays the tasks of these settings by a rule. The result has the tasks with their times; how many each tenant held and
 * had waiting from when on; and the story: who asked, who was granted a permit, and who gave one back, in this order.
 */
function simulate(settings, rule) {
  const ruling = RULES[rule](settings);
  const coming = tasksOf(settings);
  const tasks = [];
  const running = []; // the next to end is the last
  const lanes = Array.from({ length: settings.cap }, () => ({ task: null, before: -1 }));
  const held = settings.tenants.map(() => 0);
  const waiting = settings.tenants.map(() => 0);
  const states = [];
  const story = [];
  let now = 0;

  const start = (task) => {
    task.starts = now;
    task.ends = now + task.length;
    task.lane = laneFor(lanes, task);
    tasks.push(task);
    let index = running.length;
    while (index > 0 && running[index - 1].ends <= task.ends) {
      index--;
    }
    running.splice(index, 0, task);
    waiting[task.tenant]--;
    held[task.tenant]++;
    story.push(`grant ${task.tenant}`);
  };

  let index = 0;
  while (index < coming.length || running.length > 0) {
    const next = running[running.length - 1];
    if (next && (index === coming.length || next.ends <= coming[index].comes)) {
      now = next.ends;
      running.pop();
      lanes[next.lane].task = null;
      held[next.tenant]--;
      story.push(`end ${next.tenant} ${next.number}`);
      ruling.giveBack(next, start);
    } else {
      const task = coming[index++];
      now = task.comes;
      waiting[task.tenant]++;
      story.push(`ask ${task.tenant}`);
      ruling.ask(task, start);
    }
    if (states.length > 0 && states[states.length - 1].at === now) {
      states.pop();
    }
    states.push({ at: now, held: [...held], waiting: [...waiting] });
  }
  return { tasks, states, story, end: now };
}

/** The row of the picture for a task: one that its tenant had before if there is one, so that colours stay together. */
function laneFor(lanes, task) {
  let lane = lanes.findIndex((other) => other.task === null && other.before === task.tenant);
  if (lane < 0) {
    lane = lanes.findIndex((other) => other.task === null);
  }
  lanes[lane] = { task, before: task.tenant };
  return lane;
}

/** What is so at a time. */
function stateAt(run, time) {
  let low = -1;
  let high = run.states.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (run.states[middle].at <= time) {
      low = middle;
    } else {
      high = middle;
    }
  }
  const none = run.states[0].held.map(() => 0);
  return low < 0 ? { at: 0, held: none, waiting: none } : run.states[low];
}

/** How a tenant has fared: how long its tasks waited, what it held on average while some did, and when it was done. */
function fared(run, tenant) {
  const own = run.tasks.filter((task) => task.tenant === tenant);
  const waits = own.map((task) => task.starts - task.comes).sort((one, other) => one - other);
  let waited = 0;
  let heldThen = 0;
  run.states.forEach((state, index) => {
    const next = run.states[index + 1];
    if (next && state.waiting[tenant] > 0) {
      waited += next.at - state.at;
      heldThen += (next.at - state.at) * state.held[tenant];
    }
  });
  const rank = (share) => waits[Math.max(0, Math.ceil(share * waits.length) - 1)] ?? 0;
  return {
    median: rank(0.5),
    p99: rank(0.99),
    holds: waited > 0 ? heldThen / waited : null,
    done: own.reduce((last, task) => Math.max(last, task.ends), 0),
  };
}
