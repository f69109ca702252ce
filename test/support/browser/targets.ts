import type { Page } from 'playwright-core';

/** Smallest width and height of a target in pixels: the admin area is used with a mouse, all else with a thumb, too. */
const smallest = { admin: 28, user: 44 };

/** The targets of the page that are smaller, as `width × height` and their element. */
const smallTargets = (size: number) => `(() => {
  const targets = 'a[href], button, input:not([type=hidden]), select, textarea, summary,' +
    '[role=button], [role=link], [role=menuitem], [role=option], [role=tab], [role=switch], [role=combobox]';
  const wrappers = '.ant-input-affix-wrapper, .ant-input-number, .ant-select';
  const inText = (element) =>
    getComputedStyle(element).display === 'inline' &&
    [...element.parentElement.childNodes].some((node) => node !== element && node.textContent.trim() !== '');
  const isUsable = (element) =>
    element.checkVisibility({ visibilityProperty: true }) && !element.disabled && !element.closest('[inert], [aria-hidden=true]');
  const small = [];
  for (const element of document.querySelectorAll(targets)) {
    if (!isUsable(element) || inText(element)) continue;
    // All that a press may meet in order to use it.
    const parts = [element, ...(element.labels ?? []), element.closest(wrappers)].filter(Boolean);
    const isHit = (x, y) => {
      const hit = document.elementFromPoint(x, y);
      return parts.some((part) => part.contains(hit));
    };
    const sizes = [];
    for (const part of parts) {
      part.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
      const { left, top, width, height } = part.getBoundingClientRect();
      const [x, y] = [left + width / 2, top + height / 2];
      // Covered by a dialog, or not to be seen: another part may be.
      if (!isHit(x, y)) continue;
      // Steps of half a pixel alone would take as long as all else that is done with a page: a gap of less than four
      // pixels is passed over.
      const reach = (dx, dy, wanted) => {
        let far = 0;
        for (const step of [4, 0.5]) while (far < wanted && isHit(x + dx * (far + step), y + dy * (far + step))) far += step;
        return far;
      };
      const across = (dx, dy) => {
        const far = reach(-dx, -dy, ${size});
        return far + reach(dx, dy, ${size} - far);
      };
      sizes.push([across(1, 0), across(0, 1)]);
    }
    // The last half pixel on each side is not seen.
    const isSmall = ([wide, high]) => Math.min(wide, high) <= ${size} - 1;
    if (sizes.length > 0 && sizes.every(isSmall)) {
      small.push(sizes.map(([wide, high]) => Math.ceil(wide) + ' × ' + Math.ceil(high)).join(', ') + ': ' + element.outerHTML.slice(0, 200));
    }
  }
  return small;
})()`;

/** Smallest width in which one sees the words that one searches for. */
const smallestSearch = 120;

const widthsOfPhones = [320, 360, 390, 430, 600];
const narrowSearches = `[...document.querySelectorAll('input[type=search]')]
  .filter((field) => field.checkVisibility({ visibilityProperty: true }) && field.clientWidth < ${smallestSearch})
  .map((field) => field.clientWidth + ' wide: ' + field.outerHTML.slice(0, 200))`;

/** Everything that can be pressed is large enough, whether or not one sees how far it extends. */
export async function expectLargeTargets(page: Page): Promise<void> {
  const size = /^\/admin(\/|$)/.test(new URL(page.url()).pathname) ? smallest.admin : smallest.user;
  const small = await page.evaluate<string[]>(smallTargets(size));
  if (small.length > 0) throw new Error(`smaller than ${size} pixels at ${page.url()}:\n${small.join('\n')}`);
}

/** Titles of dialogs whose words reach under the mark that closes the dialog. */
const coveredTitles = `[...document.querySelectorAll('.ant-modal-container:has(> .ant-modal-close) .ant-modal-title')]
  .filter((title) => {
    const words = document.createRange();
    words.selectNodeContents(title);
    const mark = title.closest('.ant-modal-container').querySelector('.ant-modal-close').getBoundingClientRect();
    return [...words.getClientRects()].some(
      ({ left, right, top, bottom }) =>
        right > mark.left && left < mark.right && bottom > mark.top && top < mark.bottom,
    );
  })
  .map((title) => title.textContent)`;

/** The title of a dialog leaves room for the mark that closes it. */
export async function expectFreeTitles(page: Page): Promise<void> {
  const covered = await page.evaluate<string[]>(coveredTitles);
  if (covered.length > 0) throw new Error(`under the mark that closes it at ${page.url()}:\n${covered.join('\n')}`);
}

/** Each search field leaves room for a few words on every phone, whatever stands next to it. */
export async function expectWideSearches(page: Page): Promise<void> {
  if ((await page.locator('input[type=search]').count()) === 0) return;
  for (const width of widthsOfPhones) {
    await page.setViewportSize({ width, height: 740 });
    const narrow = await page.evaluate<string[]>(narrowSearches);
    if (narrow.length > 0)
      throw new Error(`too narrow to search with at ${page.url()}, ${width}:\n${narrow.join('\n')}`);
  }
}
