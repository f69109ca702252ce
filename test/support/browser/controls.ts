import type { Locator, Page } from 'playwright-core';

const roles = new Set(
  'button link checkbox radio switch textbox searchbox combobox menuitem slider spinbutton tab'.split(' '),
);

interface AxNode {
  ignored: boolean;
  role?: { value: string };
  name?: { value: string };
}

/** Each control has an accessible name. */
export async function expectNamedControls(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const { nodes } = (await session.send('Accessibility.getFullAXTree')) as { nodes: AxNode[] };
  await session.detach();
  const controls = nodes.filter(({ ignored, role }) => !ignored && roles.has(role?.value ?? ''));
  expect(controls.length).toBeGreaterThan(0);
  expect(controls.filter(({ name }) => !name?.value.trim()).map(({ role }) => role?.value)).toEqual([]);
}

/** Types this over what a field has and presses Enter, faster than a page can draw itself in between. */
export async function typeAndSubmit(field: Locator, text: string): Promise<void> {
  await field.evaluate((input, typed) => {
    const set = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(input), 'value')?.set;
    set?.call(input, typed);
    input.dispatchEvent(new Event('input', { bubbles: true }));
    (input as unknown as { form: { requestSubmit(): void } }).form.requestSubmit();
  }, text);
}
