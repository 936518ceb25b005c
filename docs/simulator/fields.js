// The fields of the settings: filled, read, and marked where something is wrong.
'use strict';

function fillFields() {
  byId('common').replaceChildren(
    ...Object.keys(COMMON).map((field) => numberField(field, field, settings[field], COMMON[field])),
    el('label', { class: 'check' },
      el('input', { type: 'checkbox', name: 'varies', checked: settings.varies }), text('varies')));
  byId('tenants').replaceChildren(...settings.tenants.map(fieldsOf));
  byId('add').hidden = settings.tenants.length >= MOST_TENANTS;
  sayFaults([]);
}

function fieldsOf(tenant, index) {
  const { name } = tenant;
  const isOnly = settings.tenants.length === 1;
  return el('fieldset', { class: `tenant-${index}` },
    el('legend', { class: 'name' }, name),
    el('div', { class: 'fields' },
      el('label', {}, text('name'), el('input', { name: `name.${index}`, value: name, maxlength: MOST_LETTERS })),
      ...Object.keys(NUMBERS).map((field) => numberField(field, `${field}.${index}`, tenant[field], NUMBERS[field])),
      el('button', { type: 'button', click: () => remove(index), disabled: isOnly }, text('remove', { name }))));
}

function numberField(field, name, value, { least, most }) {
  return el('label', {}, text(field),
    el('input', { type: 'number', inputmode: 'numeric', name, value: value ?? '', min: least, max: most }));
}

/** What the fields say. */
function typed() {
  const fields = byId('settings').elements;
  const common = Object.keys(COMMON).map((field) => [field, number(fields[field].value, COMMON[field])]);
  return {
    ...settings,
    ...Object.fromEntries(common),
    varies: fields.varies.checked,
    tenants: settings.tenants.map((_, index) => ({
      name: fields[`name.${index}`].value.trim().slice(0, MOST_LETTERS) || NAMES[index],
      ...Object.fromEntries(Object.keys(NUMBERS).map((field) =>
        [field, number(fields[`${field}.${index}`].value, NUMBERS[field])])),
    })),
  };
}

function onTyped() {
  const chosen = typed();
  const faults = faultsOf(chosen);
  sayFaults(faults, chosen);
  if (faults.length === 0) {
    badAddress = false;
    show(chosen);
    settings.tenants.forEach(({ name }, index) => {
      const set = byId('tenants').children[index];
      set.querySelector('legend').textContent = name;
      set.querySelector('button').textContent = text('remove', { name });
    });
    note();
  }
}

/** Marks what is wrong. The picture stays that of the last settings without a fault. */
function sayFaults(faults, chosen = settings) {
  for (const field of byId('settings').elements) {
    if (field.matches('input')) {
      field.removeAttribute('aria-invalid');
      field.removeAttribute('aria-describedby');
    }
  }
  const words = faults.map(({ where, why, values }) => {
    const [field, tenant] = where.split('.');
    const input = byId('settings').elements[where];
    input.setAttribute('aria-invalid', 'true');
    input.setAttribute('aria-describedby', 'faults');
    const said = { field: text(field), name: chosen.tenants[tenant]?.name, why: text(why, values) };
    return text(tenant === undefined ? 'fault' : 'fault.of', said);
  });
  byId('faults').textContent = [...(badAddress ? [text('fault.address')] : []), ...words].join('\n');
}

function add() {
  const index = settings.tenants.length;
  const name = NAMES.find((free) => !settings.tenants.some((tenant) => tenant.name === free)) ?? NAMES[index];
  choose({ ...settings, tenants: [...settings.tenants, tenant(name)] });
  byId('settings').elements[`name.${index}`].focus();
}

function remove(index) {
  choose({ ...settings, tenants: settings.tenants.filter((_, other) => other !== index) });
  byId('add').focus();
}
