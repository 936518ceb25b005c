// Asks before something is changed.

import { text } from './texts.js';

const dialog = document.querySelector('#question');
const yes = document.querySelector('#question-yes');
const no = document.querySelector('#question-no');

/** Answers the question that was asked last. */
let answered = () => {};

/** Shows a question; true: yes. Escape is no, and so is what has the focus first. */
export function sure(title, description, answer) {
  document.querySelector('#question-title').textContent = title;
  document.querySelector('#question-text').textContent = description;
  yes.textContent = answer;
  no.textContent = text('no');
  answered(false);
  dialog.showModal();
  no.focus();
  return new Promise((resolve) => { answered = resolve; });
}

function close(answer) {
  dialog.close();
  answered(answer);
}

yes.addEventListener('click', () => close(true));
no.addEventListener('click', () => close(false));
// A browser tells of a dialog that Escape has closed with its next frame, by when it may be open again.
dialog.addEventListener('close', () => dialog.open || answered(false));
