/** The portal's pages. Each function that returns a part of a page has waited until it is visible. */
import type { Locator, Page } from 'playwright-core';
import { until } from '../until.js';
import type { Credentials, Person } from '../users/people.js';

/** The page has this heading and path; `base` is the path of the issuer. */
export async function expectPage(page: Page, path: string, heading: string, base = ''): Promise<void> {
  await page.waitForURL((url) => url.pathname === base + path);
  // A locator that has not found its element at first looks only twice a second. The page itself looks more often; in a
  // function, because its policy refuses to evaluate an expression a second time.
  const isShown = `() => [...document.querySelectorAll('h1')].some((h1) => h1.textContent === ${JSON.stringify(heading)})`;
  await page.waitForFunction(isShown, undefined, { polling: 50, timeout: 2_000 }).catch(() => undefined);
  await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
}

/** Goes to another page of the portal as its links do, without a new document. */
export async function follow(page: Page, address: string): Promise<void> {
  await page.evaluate(`{
    history.pushState({ idx: (history.state?.idx ?? 0) + 1 }, '', ${JSON.stringify(address)});
    dispatchEvent(new PopStateEvent('popstate', { state: history.state }));
  }`);
}

export async function expectText(within: Page | Locator, ...texts: string[]): Promise<void> {
  for (const text of texts) await within.getByText(text, { exact: true }).first().waitFor();
}

/** The element is within the window and not covered. */
export async function expectInView(element: Locator): Promise<void> {
  await element.waitFor();
  await until(() =>
    element.evaluate((shown) => {
      const { left, top, width, height } = shown.getBoundingClientRect();
      return shown.contains(shown.ownerDocument.elementFromPoint(left + width / 2, top + height / 2));
    }),
  );
}

export class LoginPage {
  readonly email: Locator;
  readonly password: Locator;
  readonly submit: Locator;

  constructor(private readonly page: Page) {
    this.email = page.getByLabel('Email', { exact: true });
    this.password = page.getByLabel('Password', { exact: true });
    this.submit = page.getByRole('button', { name: 'Sign in', exact: true });
  }

  async signIn({ email, password }: Credentials): Promise<void> {
    await this.email.fill(email);
    await this.password.fill(password);
    await this.submit.click();
  }

  /** The errors below the form. */
  async expectErrors(...errors: string[]): Promise<void> {
    const items = this.page.getByRole('alert').getByRole('listitem');
    await items.first().waitFor();
    expect(await items.allInnerTexts()).toEqual(errors);
  }
}

export async function expectLogin(page: Page, base = ''): Promise<LoginPage> {
  await expectPage(page, '/login', 'Sign in', base);
  const login = new LoginPage(page);
  await login.submit.waitFor();
  return login;
}

export async function signIn(page: Page, person: Credentials): Promise<void> {
  await (await expectLogin(page)).signIn(person);
}

/** Signs in without the sign-in page, for tests of other pages. */
export async function signInByApi(page: Page, issuer: string, { email, password }: Credentials): Promise<void> {
  const answer = await page.context().request.post(`${issuer}/api/session/login`, {
    data: { username: email, password, rememberLogin: false },
  });
  expect(answer.status()).toBe(200);
}

/** The dialog with this title, after it has taken the focus. */
export async function expectDialog(page: Page, title: string): Promise<Locator> {
  const dialog = page.getByRole('dialog', { name: title, exact: true });
  await dialog.and(page.locator(':focus-within')).waitFor();
  return dialog;
}

/** Answers later calls of this kind as if their object had been deleted during the call. */
export async function answerNotFound(page: Page, address: string, method: string): Promise<void> {
  const body = { errors: [{ messages: ['Not Found'] }], title: 'Not Found', statusMessage: 'Not Found', message: '' };
  await page.route(address, (route) =>
    route.request().method() === method ? route.fulfill({ status: 404, json: body }) : route.fallback(),
  );
}

export async function expectNotice(page: Page, text: string): Promise<void> {
  const notices = page.getByRole('alert');
  // A notice of the previous page may still be visible.
  await notices.getByText(text, { exact: true }).last().waitFor();
}

export class ConsentPage {
  readonly grantAll: Locator;
  readonly accept: Locator;
  readonly decline: Locator;

  constructor(private readonly page: Page) {
    this.grantAll = page.getByRole('switch', { name: 'Grant All Permissions' });
    this.accept = page.getByRole('button', { name: 'Accept', exact: true });
    this.decline = page.getByRole('button', { name: 'Decline', exact: true });
  }

  /** The checkbox of the permission whose name begins with this. */
  permission(name: string): Locator {
    return this.page.getByRole('checkbox', { name: new RegExp(`^${name}`) });
  }

  /** Unfolds the parts of these permissions. */
  async unfold(...names: string[]): Promise<void> {
    for (const name of names) await this.page.getByRole('button', { name: `${name}: parts`, exact: true }).click();
  }

  /** Shows what is folded: the scopes about the user, or the choice whether to ask again. */
  async open(line: 'About you' | 'Remember my decision'): Promise<void> {
    const fold = this.page.getByRole('button', { name: new RegExp(`^${line}`) });
    if ((await fold.count()) > 0 && (await fold.getAttribute('aria-expanded')) === 'false') await fold.click();
  }

  /** Chooses that the app is asked for consent again. */
  async promptAgain(): Promise<void> {
    await this.open('Remember my decision');
    await this.page.getByRole('radio', { name: 'Prompt me again next time' }).check();
  }

  /** The row of the permission. */
  row(name: string): Locator {
    return this.page.locator('label', { has: this.permission(name) });
  }

  /** Every permission on the page, in its order: `x` is ticked, `-` is mixed, a blank is not ticked. */
  async ticks(): Promise<string[]> {
    const rows = await this.page.getByRole('checkbox').all();
    return Promise.all(
      rows.map(async (row) => {
        const [name = ''] = (await row.locator('xpath=ancestor::label').innerText()).split('\n');
        const mixed = await row.evaluate((box) => (box as unknown as { indeterminate: boolean }).indeterminate);
        return `${mixed ? '-' : (await row.isChecked()) ? 'x' : ' '} ${name.trim()}`;
      }),
    );
  }

  async expectSections(...headings: string[]): Promise<void> {
    expect(await this.page.getByRole('heading', { level: 2 }).allInnerTexts()).toEqual(headings);
  }
}

export async function expectConsent(page: Page, clientName: string, base = ''): Promise<ConsentPage> {
  await expectPage(page, '/user/consent', `${clientName} is requesting your permissions`, base);
  const consent = new ConsentPage(page);
  // The button is enabled after the time to read.
  await consent.accept.and(page.locator(':enabled')).waitFor();
  return consent;
}

/** Ticks a disclaimer, which opens its text, and accepts it; `during` runs while the text is open. */
export async function acceptDisclaimer(
  page: Page,
  name: string,
  during: (dialog: Locator) => Promise<void> = async () => {},
): Promise<void> {
  const box = page.getByRole('checkbox', { name });
  await box.click();
  const dialog = await expectDialog(page, name);
  expect(await box.isChecked()).toBe(false);
  await during(dialog);
  await dialog.getByRole('button', { name: 'Accept' }).click();
  await dialog.waitFor({ state: 'hidden' });
  expect(await box.isChecked()).toBe(true);
}

/** The browser is back in the app; returns the parameters of the response. */
export async function expectBackInApp(page: Page, callback: string): Promise<URLSearchParams> {
  await page.waitForURL((url) => url.origin + url.pathname === callback);
  return new URL(page.url()).searchParams;
}

/** A double click whose second click comes when `done`, the effect of the first, is visible. */
export async function doubleClick(target: Locator, done: Locator): Promise<void> {
  const { mouse } = target.page();
  // Waits until the element does not move.
  await target.hover();
  for (const clickCount of [1, 2]) {
    await mouse.down({ clickCount });
    await mouse.up({ clickCount });
    await done.waitFor();
  }
}

export async function chooseFromAccountMenu(page: Page, person: Pick<Person, 'fullName'>, item: string): Promise<void> {
  await page.getByRole('button', { name: `Account menu of ${person.fullName}` }).click();
  await page.getByRole('menuitem', { name: item }).click();
}

/**
 * The page of the API gets only the calls of this subject: with all of them it costs ten times as much as another page.
 */
export async function shortenApi(page: Page, subject: string): Promise<void> {
  await page.route('**/api/openapi.json', async (route) => {
    const response = await route.fetch();
    const document = (await response.json()) as { paths: Record<string, Record<string, { tags?: string[] }>> };
    const paths = Object.entries(document.paths).filter(([, calls]) =>
      Object.values(calls).some(({ tags }) => tags?.includes(subject)),
    );
    await route.fulfill({ response, json: { ...document, paths: Object.fromEntries(paths) } });
  });
}
