// Elements made and kept up to date. Texts go in as text alone, never as HTML: a key of a group may hold anything.

/** Makes an element; a function among the attributes hears the event of that name. */
export function el(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    if (typeof value === 'function') {
      element.addEventListener(attribute, value);
    } else if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(attribute, value === true ? '' : value);
    }
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** Sets an element's text, if that is another one: what stays as it is costs nothing, and stays selected. */
export function setText(element, text) {
  if (element.textContent !== text) {
    element.textContent = text;
  }
}

/** Sets an attribute, or takes it away. */
export function setAttribute(element, name, value) {
  if (value === null || value === false) {
    element.removeAttribute(name);
  } else if (element.getAttribute(name) !== String(value)) {
    element.setAttribute(name, value);
  }
}

/** A bar from 0 to a largest number, with a mark; what it shows is said in words too. */
export class Bar {
  constructor() {
    this.filled = el('span', { class: 'filled' });
    this.mark = el('span', { class: 'mark' });
    this.element = el('div', { class: 'gauge', role: 'img' }, this.filled, this.mark);
  }

  show(value, mark, most, words) {
    const place = (number) => `${100 * Math.min(1, number / Math.max(1, most))}%`;
    this.filled.style.width = place(value);
    this.mark.style.left = place(mark);
    this.mark.hidden = mark === 0;
    setAttribute(this.element, 'aria-label', words);
    setAttribute(this.element, 'title', words);
  }
}

/**
 * Makes the children of an element those of a list, in its order, each made once and known by its key. An element that
 * has the focus keeps it when it moves.
 */
export class Children {
  constructor(parent, make) {
    this.parent = parent;
    this.make = make;
    this.known = new Map();
  }

  show(items, keyOf) {
    const focused = this.parent.contains(document.activeElement) ? document.activeElement : null;
    const gone = new Map(this.known);
    let next = this.parent.firstElementChild;
    for (const item of items) {
      const key = keyOf(item);
      let child = this.known.get(key);
      if (!child) {
        child = this.make(item);
        this.known.set(key, child);
      }
      gone.delete(key);
      if (child.element === next) {
        next = next.nextElementSibling;
      } else {
        this.parent.insertBefore(child.element, next);
      }
      child.update(item);
    }
    for (const [key, child] of gone) {
      child.element.remove();
      child.end?.();
      this.known.delete(key);
    }
    if (focused && focused !== document.activeElement && focused.isConnected) {
      focused.focus({ preventScroll: true });
    }
  }

  end() {
    this.known.forEach((child) => child.end?.());
  }
}

/** A table with a caption and a head; its rows are the caller's. */
export function table(caption, heads, body, name) {
  return el('div', { class: 'wide', tabindex: '0', role: 'region', 'aria-label': caption },
    el('table', { class: name },
      el('caption', {}, caption),
      el('thead', {}, el('tr', {}, ...heads.map((head) => el('th', { scope: 'col' }, head)))),
      body));
}
