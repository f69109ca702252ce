// @ts-check
import { byId, element } from './dom.js';

/**
 * @typedef {object} Problem
 * @property {string} title
 * @property {string} text its meaning and what to do
 * @property {string} [technical] details for finding the cause
 */

/** The errors of an authorization in words for the user (RFC 6749 §4.1.2.1). */
const REFUSALS = /** @type {Record<string, Problem>} */ ({
  access_denied: {
    title: 'You did not share anything',
    text: 'That is fine: the app has seen nothing of your record. You can start again whenever you like.',
  },
  invalid_scope: {
    title: 'The app asked for more than it may have',
    text: 'The permissions that this app asks for are not allowed for it. Its registration in Gatehouse must be changed.',
  },
  temporarily_unavailable: {
    title: 'Signing in is not possible at the moment',
    text: 'Please try again in a few minutes.',
  },
});

/**
 * @param {string} error
 * @param {string | null} description
 * @returns {Problem}
 */
export function refusal(error, description) {
  const problem = REFUSALS[error] ?? {
    title: 'The sign-in did not work',
    text: 'The app could not be connected to your record. Please start again.',
  };
  return { ...problem, technical: description ? `${error}: ${description}` : error };
}

/**
 * Replaces the page's content by an explanation and one way on.
 *
 * @param {Problem} problem
 */
export function showProblem({ title, text, technical }) {
  const heading = element('h1', { tabindex: '-1' }, title);
  const main = byId('main');
  main.className = 'page narrow';
  main.removeAttribute('aria-busy');
  main.replaceChildren(heading, element('p', { class: 'lead' }, text));
  if (technical) {
    const label = element('p', { class: 'caption' }, 'Technical detail');
    main.append(element('div', { class: 'technical' }, label, element('code', {}, technical)));
  }
  main.append(element('p', {}, element('a', { class: 'button primary', href: '/' }, 'Go to the start page')));
  document.title = `${title} · Vitals`;
  heading.focus();
}
