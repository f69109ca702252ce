import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import { type Browser, type BrowserContext, type ConsoleMessage, chromium, type Page } from 'playwright-core';
import { findChromium } from '../../../scripts/chromium.mjs';
import { clientFolder } from '../../../src/platform/http/client-document.js';
import { inTurn, isLong } from '../runs.js';
import { expectFreeTitles, expectLargeTargets, expectWideSearches } from './targets.js';

export interface PageOptions {
  width?: number;
  height?: number;
  /** True if animations run; the default is reduced motion. */
  motion?: boolean;
  locale?: string;
  /** True if the cache of the browser must be empty, for a test of what a first visit loads. */
  cold?: boolean;
}

/** A failure that a test expects. */
interface Expected {
  /** Null for any path. */
  path: string | null;
  /** The status of the answer, or `offline` for none. */
  status: number | 'offline';
}

/** Each visit without a session has this failure. */
const noSession: Expected = { path: '/api/session', status: 401 };
/** A page reports by itself which record it has open, also when the record or the session has just ended. */
const endedReports: Expected[] = [401, 404].map((status) => ({ path: '/api/admin/presence', status }));

/**
 * Addresses that browsers request by themselves, which depends on their version: icons, manifests, source maps, and
 * files of their developer tools. A failure of these is no fault of the page.
 */
const browsersOwn =
  /^\/(favicon\.\w+|apple-touch-icon[\w-]*\.png|manifest\.json|\.well-known\/appspecific\/.+|.+\.webmanifest|.+\.map)$/;

/** True if the browser, not the page, requests this address. */
export function isAskedByBrowser(url: string): boolean {
  return URL.canParse(url) && browsersOwn.test(new URL(url).pathname);
}

/** The longest wait for a state of a page. A busy machine may take ten times as long as an idle one. */
const patience = 40_000;

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-extensions',
  '--disable-sync',
  '--no-first-run',
  // Else Chromium keeps a spare renderer for each page, whose start costs CPU, and no test uses it.
  '--disable-site-isolation-trials',
  // Else the first address that a page opens gets a second renderer, in place of that of the empty page.
  '--renderer-process-limit=1',
  // Compiled scripts are kept from the first page on, not from the second. The other settings are Playwright's, which
  // this option replaces.
  '--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4,v8CacheOptions=3',
];

/**
 * A Chromium for the tests of one file. A test fails when anything in it wrote an error to the console, threw, or was
 * refused by a Content-Security-Policy (Chromium reports that on the console too), unless the test expected it.
 */
export class TestBrowser {
  private chromium: Browser;
  /** Of the pages of this test, with the options that they were made with. */
  private readonly contexts = new Map<BrowserContext, string>();
  /** Of the tests before, without cookies and storage, by their options. Their caches halve the cost of a page. */
  private readonly kept = new Map<string, BrowserContext[]>();
  private readonly complaints: string[] = [];
  private expected: Expected[] = [];
  private expectedErrors: RegExp[] = [];

  async start(): Promise<void> {
    if (!existsSync(join(clientFolder, 'index.html'))) {
      throw new Error('The browser tests need the built pages: run `npm run build`, or `npm test`, which does it.');
    }
    this.chromium = await chromium.launch({
      executablePath: findChromium(),
      args: flags,
    });
  }

  stop(): Promise<void> {
    return this.chromium?.close();
  }

  /** A page in a browser without cookies and storage. */
  async open({ cold = false, ...options }: PageOptions = {}): Promise<Page> {
    const key = JSON.stringify(options);
    const kept = cold ? undefined : this.kept.get(key)?.pop();
    const page = (kept && (await firstPage(kept))) ?? (await (await this.newContext(options)).newPage());
    this.contexts.set(page.context(), key);
    return page;
  }

  /** Accepts this failure of calls to this path for the rest of the test. */
  expectFailure(path: string, status: Expected['status']): void {
    this.expected.push({ path, status });
  }

  /** Accepts this status of any call for the rest of the test. */
  expectAnyFailure(status: number): void {
    this.expected.push({ path: null, status });
  }

  /** Accepts this error on the console for the rest of the test. */
  expectError(text: RegExp): void {
    this.expectedErrors.push(text);
  }

  /** Closes the pages of the test. Pages with repeated calls must be closed before their portal. */
  async closePages(): Promise<void> {
    const used = [...this.contexts];
    this.contexts.clear();
    for (const [context, key] of used) {
      for (const page of context.pages()) await page.close();
      this.kept.set(key, [...(this.kept.get(key) ?? []), context]);
    }
  }

  /** Closes the pages of the test, and fails if they had unexpected errors. */
  async settle(): Promise<void> {
    await this.closePages();
    this.expected = [];
    this.expectedErrors = [];
    const complaints = this.complaints.splice(0);
    if (complaints.length > 0) throw new Error(`The browser complained:\n${complaints.join('\n')}`);
  }

  private async newContext({
    width = 1280,
    height = 800,
    motion = false,
    locale = 'en-US',
  }: PageOptions): Promise<BrowserContext> {
    const context = await this.chromium.newContext({
      viewport: { width, height },
      reducedMotion: motion ? 'no-preference' : 'reduce',
      locale,
      timezoneId: 'Europe/Berlin',
    });
    context.setDefaultTimeout(patience);
    context.on('console', (message) => this.hear(message));
    context.on('weberror', (error) => this.complaints.push(`uncaught ${error.error()}`));
    return context;
  }

  private hear(message: ConsoleMessage): void {
    if (message.type() !== 'error' || this.expectedErrors.some((text) => text.test(message.text()))) return;
    const { url } = message.location();
    if (isAskedByBrowser(url)) return;
    const path = URL.canParse(url) ? new URL(url).pathname : url;
    const answered = /responded with a status of (\d+)/.exec(message.text())?.[1];
    const status = message.text().includes('ERR_INTERNET_DISCONNECTED') ? 'offline' : Number(answered);
    const known = [noSession, ...endedReports, ...this.expected].some(
      (one) => (one.path === null || one.path === path) && one.status === status,
    );
    if (!known) this.complaints.push(`${message.text()} (${url})`);
  }
}

/**
 * A page in a context that tests before have used, without what they left in it; none if they set its clock, which
 * stays set.
 */
async function firstPage(context: BrowserContext): Promise<Page | undefined> {
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  const clock = await devtools.send('Runtime.evaluate', { expression: 'typeof __pwClock' });
  if (clock.result.value !== 'undefined') return context.close().then(() => undefined);
  await devtools.send('Storage.clearDataForOrigin', { origin: '*', storageTypes: 'all' });
  await Promise.all([context.clearCookies(), context.clearPermissions(), context.setOffline(false), devtools.detach()]);
  return page;
}

/** The browser for the tests of a file, which checks for unexpected errors after each test. */
export function useBrowser(): TestBrowser {
  const browser = new TestBrowser();
  beforeAll(() => browser.start());
  afterEach(() => browser.settle());
  afterAll(() => browser.stop());
  return browser;
}

interface Look {
  width: number;
  height: number;
  colorScheme: 'light' | 'dark';
}

const looks = [
  { width: 1280, height: 800, colorScheme: 'light' },
  { width: 360, height: 740, colorScheme: 'dark' },
] as const satisfies Look[];
/** The other looks, which rarely find more and take as long again. */
const furtherLooks = [
  { width: 1280, height: 800, colorScheme: 'dark' },
  { width: 360, height: 740, colorScheme: 'light' },
] as const satisfies Look[];

type Show = (page: Page) => Promise<unknown>;

/**
 * The page that `show` opens is accessible and fits: on a desktop in light or on a phone in dark, and in every
 * combination with `npm run test:long`. Several states by their names are reached one after the other, each on a
 * desktop from the one before. Their looks take turns in the usual run: the first state has a desktop, or a phone if
 * its `number` is odd.
 */
export async function expectFitInEveryLook(
  browser: TestBrowser,
  show: Show | Record<string, Show>,
  { number = 0, ...look }: Pick<PageOptions, 'locale'> & { number?: number } = {},
): Promise<void> {
  const page = await browser.open(look);
  const states = Object.entries(typeof show === 'function' ? { 'The page': show } : show);
  for (const [index, [name, reach]] of states.entries()) {
    const usual = inTurn<Look>(looks, number + index);
    await page.emulateMedia({ colorScheme: looks[0].colorScheme });
    await resize(page, looks[0]);
    await reach(page);
    await expectFit(page, isLong ? [...looks, ...furtherLooks] : usual).catch((cause: Error) => {
      throw new Error(`${name}: ${cause.message}`, { cause });
    });
  }
}

/** As {@link expectFitInEveryLook}, for the state that a page has; it then has its size again. */
export async function expectStateFits(page: Page): Promise<void> {
  const size = page.viewportSize();
  await expectFit(page, isLong ? [...looks, ...furtherLooks] : looks);
  await page.emulateMedia({ colorScheme: looks[0].colorScheme });
  if (size) await resize(page, size);
}

async function expectFit(page: Page, inLooks: readonly Look[]): Promise<void> {
  for (const { colorScheme, ...size } of inLooks) {
    await page.emulateMedia({ colorScheme });
    await resize(page, size);
    await expectAccessible(page);
    await expectLargeTargets(page);
    await expectFreeTitles(page);
  }
  await expectWideSearches(page);
  await expectNoSidewaysScroll(page, 320);
}

/** Waits until the page has the new width, and colors and sizes no longer change; a spinner never ends. */
async function resize(page: Page, size: { width: number; height: number }): Promise<void> {
  await page.setViewportSize(size);
  await page.evaluate(`(async () => {
    await new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)));
    const isEnding = ({ effect, playState }) => playState === 'running' && effect.getComputedTiming().endTime < Infinity;
    const ending = document.getAnimations().filter(isEnding);
    // One that is replaced is rejected.
    await Promise.allSettled(ending.map(({ finished }) => finished));
  })()`);
}

/** The small build of the axe that Playwright's builder brings: a page parses it in half the time. */
const builder = createRequire(import.meta.url).resolve('@axe-core/playwright');
const axeSource = readFileSync(createRequire(builder).resolve('axe-core/axe.min.js'), 'utf8');

/** axe finds no violation of WCAG 2.2 AA and its best practices; a failure names the element and the remedy. */
async function expectAccessible(page: Page): Promise<void> {
  // The second look finds axe in the page: to parse it takes longer than to run it.
  const isLoaded = await page.evaluate<boolean>('typeof axe === "object"');
  // The legacy mode is sufficient, because the pages have no frames.
  const axe = new AxeBuilder({ page, axeSource: isLoaded ? ';' : axeSource }).setLegacyMode();
  // All rules are checked; only violations are described.
  const { violations } = await axe.options({ resultTypes: ['violations'] }).analyze();
  const findings = violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}\n  ${html}\n  ${failureSummary?.replaceAll('\n', '\n  ')}`),
  );
  if (findings.length > 0) throw new Error(`axe at ${page.url()}:\n${findings.join('\n')}`);
}

/**
 * Neither the page nor a dialog on it scrolls sideways in a window of this width; the narrowest phone has 320 (WCAG
 * 1.4.10).
 */
export async function expectNoSidewaysScroll(page: Page, width: number): Promise<void> {
  await resize(page, { width, height: 640 });
  const [content, window] = await page.evaluate<[number, number]>(
    '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
  );
  expect(content).toBeLessThanOrEqual(window);
  // Text for screen readers has one pixel, which may stand beyond the end of a line.
  const wide = `[...document.querySelectorAll('[role=dialog] :has(button)')]
    .filter((part) => part.scrollWidth > part.clientWidth + 1)
    .filter((part) => part.matches('.ant-modal-body') || getComputedStyle(part).overflowX === 'auto')
    .map(({ innerText }) => innerText)`;
  expect(await page.evaluate<string[]>(wide)).toEqual([]);
}
