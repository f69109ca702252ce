import { type Launch, SmartApp } from '../support/apps/smart-app.js';
import type { TestPortal } from '../support/portal/portal.js';
import { people } from '../support/users/people.js';

/** Requests of apps to which a patient answers on the consent page, for `scope` unless a launch names another one. */
export function decisionsOn(current: () => TestPortal, scope: string) {
  /** The address that the request of a signed-in user leads to. */
  async function visit(app: SmartApp): Promise<{ at: URL; returnUrl: string }> {
    let at = new URL((await app.authorize()).location ?? '');
    if (at.pathname === '/login') {
      const login = at.searchParams.get('returnUrl') ?? '';
      await app.signIn(people.patient, login);
      at = new URL(await app.follow(login));
    }
    return { at, returnUrl: at.searchParams.get('returnUrl') ?? '' };
  }

  const again = (app: SmartApp, launch: Launch) => new SmartApp(current(), { scope, ...launch }, app.browser);

  /** A first request that the user answers with these scopes. */
  async function decide(launch: Launch, scopes: string[], remember: boolean): Promise<SmartApp> {
    const app = new SmartApp(current(), { scope, ...launch });
    const { returnUrl } = await visit(app);
    expect((await app.consent(returnUrl, scopes, remember)).status).toBe(204);
    await app.follow(returnUrl);
    return app;
  }

  const asksAgain = async (app: SmartApp, launch: Launch) =>
    (await visit(again(app, launch))).at.pathname === '/user/consent';

  return { visit, again, decide, asksAgain };
}
