import type { BrowserContext, Page } from 'playwright-core';

/**
 * A browser that several tests use after each other. Its cookies, storage and permissions are cleared between them. Its cache is not: a page
 * whose scripts and styles are in it costs a sixth less CPU, in the portal, too.
 */
export class KeptContext {
  /** The empty page that the next test gets. */
  private next: Page | undefined;
  private readonly origins = new Set<string>();
  private isChanged = false;

  constructor(
    private readonly context: BrowserContext,
    /** Tests with the same kind can use it; undefined if it is for one test. */
    readonly kind: string | undefined,
  ) {
    context.on('request', (request) => {
      if (request.isNavigationRequest() && /^https?:/.test(request.url()))
        this.origins.add(new URL(request.url()).origin);
    });
    // Another clock cannot be removed.
    const { clock } = context;
    const install = clock.install.bind(clock);
    clock.install = (options) => {
      this.isChanged = true;
      return install(options);
    };
  }

  async open(): Promise<Page> {
    const page = this.next ?? (await this.context.newPage());
    this.next = undefined;
    return page;
  }

  /** Closes the pages. Returns false if another test cannot use it. */
  async clear(): Promise<boolean> {
    const { context } = this;
    if (this.kind === undefined || this.isChanged) {
      await context.close();
      return false;
    }
    for (const page of context.pages()) await page.close();
    await context.setOffline(false);
    await context.clearCookies();
    await context.clearPermissions();
    this.next = await context.newPage();
    const session = await context.newCDPSession(this.next);
    for (const origin of this.origins)
      await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
    await session.detach();
    this.origins.clear();
    return true;
  }
}
