import Provider, { type Interaction, type KoaContextWithOIDC } from 'oidc-provider';
import type { OidcRecords } from '../../../oidc-store/infrastructure/oidc-records.js';
import { currentLaunchId, identifyLaunch } from '../../../platform/activity/launch-notes.js';
import { randomId, sha256 } from '../../../platform/crypto/secrets.js';
import { insidePath, portalPath } from '../../../platform/http/base-path.js';
import type { cookieNames } from '../../../platform/http/cookies.js';
import { type StepName, stepAddresses } from '../../domain/steps.js';
import type { InteractionExtras } from '../shared/engine-models.js';
import type { RequestedBases } from '../shared/requested-base.js';
import { keepMove } from './moved-requests.js';

/**
 * Gatehouse's path in front of the engine's own resume route: carries the data that the page may show, and `ix`, which
 * alone is trusted.
 */
export const callbackPath = '/connect/authorize/callback';

/**
 * Binds every interaction to the browser that started it, by one random cookie per browser whose hash the interaction
 * keeps. Its id alone, which appears in URLs, would let an attacker start a flow, have a victim sign in to it, and
 * continue as the victim (security A-19).
 */
export function installInteractionBinding(
  provider: Provider,
  records: OidcRecords,
  cookies: ReturnType<typeof cookieNames>,
): void {
  const save = provider.Interaction.prototype.save;
  Object.defineProperty(provider.Interaction.prototype, 'save', {
    async value(this: Interaction & InteractionExtras, ttl: number) {
      const { ctx } = Provider;
      if (ctx) {
        this.browser ??= sha256(browserOf(ctx, cookies));
        this.launchId ??= currentLaunchId();
        const { uid = this.uid } = ctx.oidc.entities.Interaction ?? {};
        if (uid !== this.uid) await keepMove(records, uid, this.uid, ttl);
      }
      return save.call(this, ttl);
    },
  });
}

/**
 * Keeps earlier answers for a user who continues without one (Back, or a second tab without a question left): the same
 * page appears with all answers before it. The engine would start again, and ask again for the patient.
 */
export function keepEarlierAnswers(provider: Provider): void {
  const { find } = provider.Interaction;
  Object.defineProperty(provider.Interaction, 'find', {
    async value(this: typeof provider.Interaction, ...of: Parameters<typeof find>): Promise<Interaction | undefined> {
      const interaction = (await find.apply(this, of)) as Interaction | undefined;
      if (!interaction) return undefined;
      const { launchId: id, trial } = interaction as InteractionExtras;
      if (trial) identifyLaunch({ kind: 'trial' });
      identifyLaunch({ id, clientId: String(interaction.params.client_id), accountId: interaction.session?.accountId });
      if (Provider.ctx?.oidc?.route === 'resume') interaction.result ??= interaction.lastSubmission;
      return interaction;
    },
  });
}

function browserOf(ctx: KoaContextWithOIDC, { browser: name, secure, path }: ReturnType<typeof cookieNames>): string {
  const known = ctx.cookies.get(name, { signed: false });
  if (known) return known;
  const value = randomId();
  ctx.cookies.set(name, value, { signed: false, httpOnly: true, sameSite: 'lax', secure, path });
  return value;
}

/** Builds the URL of the page for an interaction's step. */
export function interactionPages(bases: RequestedBases, issuer: string) {
  return (_ctx: KoaContextWithOIDC, { uid, prompt, params, session }: Interaction): string => {
    const returnUrl = returnUrlOf(uid, params, bases.ofRequest(params).tenant?.id);
    // The page redirects a signed-in user to the return URL, and so in circles, unless the URL says that they must sign
    // in again (`prompt=login`, `max_age`).
    const again = prompt.name === 'login' && session ? '&prompt=login' : '';
    // An absolute URL, because the engine sets a cookie for its path.
    return `${issuer}${stepAddresses[prompt.name as StepName]}?returnUrl=${encodeURIComponent(returnUrl)}${again}${languageOf(params)}`;
  };
}

/** `ui_locales` from the request, if it is a valid list of language tags. */
function languageOf({ ui_locales: wanted }: Record<string, unknown>): string {
  const isList = typeof wanted === 'string' && /^[A-Za-z0-9-]{1,35}( [A-Za-z0-9-]{1,35}){0,9}$/.test(wanted);
  return isList ? `&${new URLSearchParams({ ui_locales: wanted })}` : '';
}

/** The returnUrl of a request, with the client data that its pages show. */
export function returnUrlOf(id: string, params: Record<string, unknown>, tenant: string | undefined): string {
  const query = new URLSearchParams({
    client_id: String(params.client_id),
    redirect_uri: String(params.redirect_uri),
    ...(tenant === undefined ? {} : { tenant }),
    ix: id,
  });
  return portalPath(`${callbackPath}?${query}`);
}

/** Interaction id in a page's returnUrl; undefined when it is not one of this portal. */
export function interactionIdOf(returnUrl: string): string | undefined {
  return interactionIdIn(insidePath(returnUrl) ?? '');
}

/** Interaction id in a path inside of the process. */
export function interactionIdIn(url: string): string | undefined {
  if (!url.startsWith(`${callbackPath}?`)) return undefined;
  const id = new URLSearchParams(url.slice(callbackPath.length)).get('ix');
  return id !== null && /^[\w-]{10,100}$/.test(id) ? id : undefined;
}

/** Client data in a returnUrl, for pages to show: the URL can be edited, so they prove nothing. */
export function shownIn(returnUrl: string): { clientId: string; redirectUri: string } {
  const query = new URLSearchParams(returnUrl.split('?', 2)[1] ?? '');
  return { clientId: query.get('client_id') ?? '', redirectUri: query.get('redirect_uri') ?? '' };
}

/** A returnUrl for internal calls, where no page shows it. */
export function returnUrlTo(id: string): string {
  return portalPath(`${callbackPath}?${new URLSearchParams({ ix: id })}`);
}

/**
 * Path to which the browser continues once a step is done; its client data are for the page of a request that has
 * ended. Under their standard names the engine would take them for a request, and send its errors there.
 */
export function resumePath(id: string, { clientId, redirectUri }: ReturnType<typeof shownIn>): string {
  const shown = new URLSearchParams({ app: clientId, at: redirectUri });
  return `/connect/authorize/${id}${clientId === '' ? '' : `?${shown}`}`;
}
