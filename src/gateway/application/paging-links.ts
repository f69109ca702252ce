import { targetBelow } from '../../fhir-server/application/server-links.js';
import type { AccessTokenFacts } from '../../oidc/application/access-tokens.js';
import type { Secrets } from '../../platform/crypto/secrets.js';
import { classify, type FhirRequest } from '../domain/fhir-request.js';
import { Refusal } from '../domain/refusal.js';

/** Whose link it is. */
export type PageReader = Pick<AccessTokenFacts, 'clientId' | 'grantId' | 'patient' | 'fhirUser'>;

/** Servers forget their pages about as soon. */
const lifetimeMs = 60 * 60 * 1000;
const path = '/_page';

/** What a sealed link holds. */
interface Page {
  /** Milliseconds since 1970. */
  until: number;
  request: FhirRequest;
}

/**
 * Links from one page of an answer to the next. What a server writes into them is its own affair (`_getpages=…`), so they
 * are sealed: the app gets an address that only its own grant opens, and only for as long as the server's page is likely
 * to be there. What comes back is decided like the request that it continues, by the token of that moment.
 */
export class PagingLinks {
  constructor(
    private readonly secrets: Secrets,
    /** The FHIR base that apps see. */
    private readonly ours: string,
  ) {}

  /**
   * The link that an app gets for the server's. Links that the gateway can read are left as they are; those that lead
   * elsewhere than to the server are undefined.
   */
  linkFor(url: string, serverBase: string, request: FhirRequest, reader: PageReader, now: number): string | undefined {
    const target = targetBelow(serverBase, url);
    if (target === undefined) return undefined;
    const read = classify('GET', target);
    const { interaction, type, id } = request;
    if (!(read instanceof Refusal) && read.interaction === interaction && read.type === type && read.id === id) {
      return serverBase + target;
    }
    const page: Page = { until: now + lifetimeMs, request: { ...request, parameters: [], page: target } };
    const sealed = this.secrets.seal('paging', JSON.stringify(page), this.contextOf(reader));
    return `${this.ours}${path}?_link=${sealed.toString('base64url')}`;
  }

  /** The request that a sealed link stands for; undefined for any other address. */
  requestOf(method: string, target: string, reader: PageReader, now: number): FhirRequest | undefined {
    if (target.split('?', 1)[0] !== path) return undefined;
    if (method !== 'GET' && method !== 'HEAD') {
      throw new Refusal(405, 'not-supported', 'This method is not supported here.', { Allow: 'GET, HEAD' });
    }
    const sealed = /^\?_link=([A-Za-z0-9_-]+)$/.exec(target.slice(path.length))?.[1];
    const page = sealed === undefined ? undefined : this.opened(sealed, reader);
    if (!page) throw new Refusal(403, 'forbidden', 'This link to a page is not one that this access token was given.');
    if (page.until <= now) throw new Refusal(410, 'expired', 'This link to a page has expired. Please search again.');
    return page.request;
  }

  private opened(sealed: string, reader: PageReader): Page | undefined {
    try {
      return JSON.parse(this.secrets.open('paging', Buffer.from(sealed, 'base64url'), this.contextOf(reader)));
    } catch {
      return undefined;
    }
  }

  /** A service has no grant; its tokens are all alike. */
  private contextOf({ clientId, grantId, patient, fhirUser }: PageReader): string {
    return JSON.stringify([this.ours, clientId, grantId ?? null, patient ?? null, fhirUser ?? null]);
  }
}
