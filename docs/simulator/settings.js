// What one may set, the examples, and how settings are written into the address. It knows nothing of the page either.
'use strict';

/** The numbers of a tenant: the least, the most, what a new tenant has, and whether none is allowed: no limit. */
const NUMBERS = {
  tasks: { least: 0, most: 2000, usual: 10 },
  at: { least: 0, most: 60000, usual: 0 },
  rate: { least: 0, most: 10000, usual: 0 },
  length: { least: 1, most: 60000, usual: 50 },
  limit: { least: 1, most: 200, usual: null, empty: true },
  weight: { least: 1, most: 1000, usual: 1 },
  guaranteed: { least: 0, most: 200, usual: 0 },
};

const COMMON = {
  cap: { least: 1, most: 200, usual: 20 },
  headroom: { least: 0, most: 199, usual: 0 },
  seed: { least: 1, most: 999999, usual: 1 },
};

const MOST_TENANTS = 6;
const MOST_TASKS = 5000;
const MOST_LETTERS = 20; // of a name
const COMPARISONS = ['plain', 'limits', 'none'];
const NAMES = ['acme', 'hooli', 'initech', 'globex', 'umbrella', 'stark'];

function tenant(name, numbers = {}) {
  const usual = Object.fromEntries(Object.entries(NUMBERS).map(([field, { usual }]) => [field, usual]));
  return { name, ...usual, ...numbers };
}

function settingsOf(numbers, ...tenants) {
  return { cap: 20, headroom: 0, seed: 1, varies: true, compare: 'plain', ...numbers, tenants };
}

const EXAMPLES = {
  flood: settingsOf({},
    tenant('acme', { tasks: 600 }),
    tenant('hooli', { at: 100, rate: 50 }),
    tenant('initech', { at: 150, rate: 50 })),
  limit: settingsOf({},
    tenant('acme', { tasks: 600, limit: 8 }),
    tenant('hooli', { at: 100, rate: 50, limit: 8 }),
    tenant('initech', { at: 150, rate: 50, limit: 8 })),
  long: settingsOf({},
    tenant('acme', { tasks: 40, length: 600 }),
    tenant('hooli', { tasks: 1200, length: 10 }),
    tenant('initech', { tasks: 1200, length: 10 })),
  weights: settingsOf({},
    tenant('acme', { tasks: 300, weight: 3 }),
    tenant('hooli', { tasks: 300 })),
  guarantee: settingsOf({ headroom: 2 },
    tenant('export', { tasks: 80, length: 600 }),
    tenant('acme', { tasks: 80, at: 200, rate: 60, length: 60, guaranteed: 4 }),
    tenant('hooli', { tasks: 10, at: 400, rate: 10, length: 30 })),
};

/** What is wrong with settings: a list of where and why, and with which numbers. */
function faultsOf(settings) {
  const faults = [];
  const look = (where, value, { least, most, empty }) => {
    if (value === null && empty) {
      return;
    }
    if (!Number.isInteger(value) || value < least || value > most) {
      faults.push({ where, why: 'fault.range', values: { least, most } });
    }
  };
  Object.entries(COMMON).forEach(([field, range]) => look(field, settings[field], range));
  settings.tenants.forEach((tenant, index) => {
    Object.entries(NUMBERS).forEach(([field, range]) => look(`${field}.${index}`, tenant[field], range));
    if (tenant.limit !== null && tenant.guaranteed > tenant.limit) {
      faults.push({ where: `guaranteed.${index}`, why: 'fault.aboveLimit', values: { most: tenant.limit } });
    }
  });
  if (settings.headroom >= settings.cap) {
    faults.push({ where: 'headroom', why: 'fault.headroom', values: { most: settings.cap - 1 } });
  }
  const sum = (field) => settings.tenants.reduce((all, tenant) => all + tenant[field], 0);
  if (settings.headroom < settings.cap && sum('guaranteed') > settings.cap - settings.headroom) {
    const last = settings.tenants.map((tenant) => tenant.guaranteed > 0).lastIndexOf(true);
    const values = { sum: sum('guaranteed'), most: settings.cap - settings.headroom };
    faults.push({ where: `guaranteed.${last}`, why: 'fault.guarantees', values });
  }
  if (sum('tasks') > MOST_TASKS || sum('tasks') === 0) {
    faults.push({ where: 'tasks.0', why: 'fault.tasks', values: { sum: sum('tasks'), most: MOST_TASKS } });
  }
  return faults;
}

/** Settings as the part of an address after the `#`. */
function written(settings) {
  const parts = [
    ...Object.keys(COMMON).map((field) => `${field}=${settings[field]}`),
    `varies=${settings.varies ? 1 : 0}`,
    `compare=${settings.compare}`,
    ...settings.tenants.map((tenant) =>
      `t=${[encodeURIComponent(tenant.name), ...Object.keys(NUMBERS).map((field) => tenant[field] ?? '')].join(',')}`),
  ];
  return parts.join('&');
}

/** The settings that an address has; `null` if it has none, or wrong ones. */
function read(address) {
  const settings = settingsOf({});
  try {
    for (const part of address.replace(/^#/, '').split('&')) {
      const [name, value] = part.split('=');
      if (name in COMMON) {
        settings[name] = Number(value);
      } else if (name === 'varies') {
        settings.varies = value === '1';
      } else if (name === 'compare' && COMPARISONS.includes(value)) {
        settings.compare = value;
      } else if (name === 't') {
        const [title, ...numbers] = value.split(',');
        const fields = Object.keys(NUMBERS).map((field, index) => [field, number(numbers[index], NUMBERS[field])]);
        const name = decodeURIComponent(title).slice(0, MOST_LETTERS);
        settings.tenants.push({ name, ...Object.fromEntries(fields) });
      }
    }
  } catch {
    return null;
  }
  const count = settings.tenants.length;
  return count > 0 && count <= MOST_TENANTS && faultsOf(settings).length === 0 ? settings : null;
}

/** A number as somebody has typed it; `null` for nothing, where that may be. */
function number(text, { empty }) {
  const typed = (text ?? '').trim();
  return typed === '' ? (empty ? null : NaN) : Number(typed);
}
