// The page's words in the reader's language, and numbers and times as that writes them.

export const LANGUAGES = { en: 'English', zh: '中文' };

let words = {};
let numbers = new Intl.NumberFormat('en');
let clock = new Intl.DateTimeFormat('en');

/** The language that was chosen here, else the first one of the browser's that there is. */
export function preferred() {
  const chosen = localStorage.getItem('group-concurrency.language');
  const wanted = [chosen, ...navigator.languages.map((tag) => tag.split('-')[0])];
  return wanted.find((language) => language in LANGUAGES) ?? 'en';
}

export async function speak(language) {
  const answer = await fetch(`text.${language}.json`);
  words = await answer.json();
  const tag = language === 'zh' ? 'zh-CN' : language;
  numbers = new Intl.NumberFormat(tag);
  clock = new Intl.DateTimeFormat(tag, { timeStyle: 'medium', hourCycle: 'h23' });
  document.documentElement.lang = tag;
  document.title = text('title');
  for (const element of document.querySelectorAll('[data-text]')) {
    element.textContent = text(element.dataset.text);
  }
  for (const element of document.querySelectorAll('[data-label]')) {
    element.setAttribute('aria-label', text(element.dataset.label));
  }
}

/** The text with this name; `{name}` in it stands for a value. */
export function text(name, values = {}) {
  const found = words[name] ?? name;
  return found.replace(/\{(\w+)\}/g, (_, value) => values[value] ?? '');
}

/** The text with this name, or the name's last part: for constants that a newer server may have more of. */
export function constant(kind, name) {
  return words[`${kind}.${name}`] ?? name;
}

export function number(value) {
  return value === null || value === undefined ? '∞' : numbers.format(value);
}

export function time(instant) {
  return instant ? clock.format(new Date(instant)) : '–';
}

/** The seconds of a duration as the endpoints write it, such as PT1M2.5S. */
export function seconds(duration) {
  const parts = /^(-)?PT(?:(-?\d+)H)?(?:(-?\d+)M)?(?:(-?[\d.]+)S)?$/.exec(duration ?? '');
  return parts ? Number(parts[2] ?? 0) * 3600 + Number(parts[3] ?? 0) * 60 + Number(parts[4] ?? 0) : 0;
}

export function duration(value) {
  return value === null || value === undefined ? '∞' : span(seconds(value));
}

/** Seconds in the two largest units that say something. */
export function span(value) {
  if (value < 1) {
    return text('unit.ms', { n: numbers.format(Math.round(value * 1000)) });
  }
  if (value < 60) {
    return text('unit.s', { n: numbers.format(Math.round(value * 10) / 10) });
  }
  const whole = Math.round(value);
  const [unit, size, smaller, smallerSize] = whole < 3600 ? ['min', 60, 's', 1] : ['h', 3600, 'min', 60];
  const rest = Math.floor((whole % size) / smallerSize);
  const most = text(`unit.${unit}`, { n: numbers.format(Math.floor(whole / size)) });
  return rest === 0 ? most : `${most} ${text(`unit.${smaller}`, { n: rest })}`;
}
