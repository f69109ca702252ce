// @ts-check

/**
 * @typedef {Node | string | undefined | false} Child
 */

/**
 * An element with attributes and children. Text never goes through a parser, whatever a server sent.
 *
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name
 * @param {Record<string, string>} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function element(name, attributes = {}, ...children) {
  const created = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    created.setAttribute(key, value);
  }
  created.append(...children.filter((child) => child !== undefined && child !== false));
  return created;
}

/**
 * @param {string} name
 * @param {Record<string, string | number>} [attributes]
 * @param {...(Node | string)} children
 * @returns {SVGElement}
 */
export function svg(name, attributes = {}, ...children) {
  const created = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) {
    created.setAttribute(key, String(value));
  }
  created.append(...children);
  return created;
}

/**
 * @param {string} id of an element that the page has
 * @returns {HTMLElement}
 */
export function byId(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/**
 * @param {string[]} headings
 * @param {Child[][]} rows the first cell names the row
 * @param {string} [caption]
 */
export function table(headings, rows, caption) {
  return element(
    'div',
    { class: 'scroll' },
    element(
      'table',
      {},
      caption !== undefined && element('caption', {}, caption),
      element('thead', {}, element('tr', {}, ...headings.map((text) => element('th', { scope: 'col' }, text)))),
      element(
        'tbody',
        {},
        ...rows.map(([name, ...cells]) =>
          element('tr', {}, element('th', { scope: 'row' }, name), ...cells.map((cell) => element('td', {}, cell))),
        ),
      ),
    ),
  );
}

const LONG_DATE = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' });

/**
 * @param {string | undefined} value a FHIR date or dateTime
 * @returns {Node | string} such as "October 12, 2026"
 */
export function longDate(value) {
  const time = Date.parse(value ?? '');
  if (value === undefined || Number.isNaN(time)) {
    return 'N/A';
  }
  return element('time', { datetime: value }, LONG_DATE.format(time));
}
