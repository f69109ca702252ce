import type { Locator, Page } from 'playwright-core';

/**
 * Role and name of the focused element, as a screen reader announces them; empty while no element of the page has the
 * focus.
 */
export async function focused(page: Page): Promise<string> {
  if (await page.evaluate<boolean>('document.activeElement === document.body')) return '';
  const [line = ''] = (await page.locator(':focus').ariaSnapshot()).split('\n');
  return line.replace(/^- /, '');
}

/** The focused element is within the window, not covered, and has an outline or a shadow (WCAG 2.4.7, 2.4.11). */
export async function expectVisibleFocus(page: Page, stop: string): Promise<void> {
  const state = await page.evaluate<string>(`(() => {
    const near = document.activeElement.closest('label, .ant-input-affix-wrapper') ?? document.activeElement;
    const parts = [document.activeElement, near, ...near.querySelectorAll('*')];
    const marked = parts.some((part) => {
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(part);
      return (outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2) || boxShadow !== 'none';
    });
    const { left, right, top, bottom } = near.getBoundingClientRect();
    const inside = top >= 0 && bottom <= innerHeight && left >= 0 && right <= innerWidth;
    const over = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    const covered = !(near.contains(over) || over?.contains(near));
    return [!marked && 'unmarked', !inside && 'outside', covered && 'covered'].filter(Boolean).join(' ');
  })()`);
  expect([stop, state]).toEqual([stop, '']);
}

/** Goes to a control by Tab, as a user without a mouse does, and presses a key there. */
export async function pressByKeyboard(control: Locator, key: 'Enter' | 'Space' = 'Enter'): Promise<void> {
  const { keyboard } = control.page();
  await control.waitFor();
  const hasFocus = () => control.evaluate((element) => element === element.ownerDocument.activeElement);
  for (let steps = 0; !(await hasFocus()); steps += 1) {
    if (steps === 40) throw new Error(`Tab does not reach ${control}`);
    await keyboard.press('Tab');
  }
  await keyboard.press(key);
}
