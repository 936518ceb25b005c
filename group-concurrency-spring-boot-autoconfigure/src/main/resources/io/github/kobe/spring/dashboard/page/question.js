// Asks before something is changed.

import { text } from './texts.js';

const dialog = document.querySelector('#question');
const yes = document.querySelector('#question-yes');
const no = document.querySelector('#question-no');

/** Shows a question; true: yes. Escape is no, and so is what has the focus first. */
export function sure(title, description, answer) {
  document.querySelector('#question-title').textContent = title;
  document.querySelector('#question-text').textContent = description;
  yes.textContent = answer;
  no.textContent = text('no');
  dialog.returnValue = '';
  dialog.showModal();
  no.focus();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes'), { once: true });
  });
}

yes.addEventListener('click', () => dialog.close('yes'));
no.addEventListener('click', () => dialog.close('no'));
