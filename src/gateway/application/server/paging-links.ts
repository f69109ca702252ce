import type { ServerNames } from '../../../fhir-server/application/fhir-server.js';
import type { AccessTokenFacts } from '../../../oidc/domain/access-tokens.js';
import { type Secrets, sha256 } from '../../../platform/crypto/secrets.js';
import { type ExportPage, type FhirRequest, pathOf, tryClassify } from '../../domain/fhir-request.js';
import { Refusal } from '../../domain/refusal.js';
import { isPagingByNumber } from '../../domain/search-parameters.js';

/** The client and grant that the link belongs to. */
export type PageReader = Pick<AccessTokenFacts, 'clientId' | 'grantId' | 'patient' | 'fhirUser' | 'representation'>;

/** Servers forget their pages about as soon. */
const lifetimeMs = 60 * 60 * 1000;
/** An export of a whole server takes its time, and its files are read afterwards. */
const exportLifetimeMs = 24 * lifetimeMs;
const path = '/_page';
const lengthStep = 512;

/** The content of a sealed link. */
interface Page {
  /** Milliseconds since 1970. */
  until: number;
  request: FhirRequest;
}

/**
 * Links from one page of an answer to the next. Their content is defined by the server (`_getpages=…`), so they are
 * sealed: the app gets an address that only its own grant can use, and only for as long as the server's page is likely
 * to be there. A request for it is decided like the one that it continues, by the token of that moment.
 */
export class PagingLinks {
  constructor(
    private readonly secrets: Secrets,
    /** The FHIR base that apps see. */
    private readonly ours: string,
  ) {}

  /**
   * The link that an app gets for the server's. Only one that asks for the same again, at another place in the results,
   * is left as it is: any other parameter may be the server's own (`ct`, `page`, `sessionID`), and is none that an app
   * could be permitted. A link that leads elsewhere than to the server is undefined.
   */
  linkFor(url: string, server: ServerNames, request: FhirRequest, reader: PageReader, now: number): string | undefined {
    const target = server.targetOf(url, pathOf(request));
    if (target === undefined) return undefined;
    const read = tryClassify('GET', target);
    if (read && isSameRequest(read, request)) return server.base + target;
    return this.sealed({ ...request, parameters: [], page: target }, reader, now + lifetimeMs);
  }

  /** The sealed link to a page that begins amid one of the server's. */
  pageAfter(request: FhirRequest, reader: PageReader, now: number): string {
    return this.sealed({ ...request, parameters: [] }, reader, now + lifetimeMs);
  }

  /**
   * The server's `self` link, which apps show and do not follow: its query says how the server understood the search,
   * and its address may be one by which only the server knows itself.
   */
  selfFor(url: string, server: ServerNames, request: FhirRequest): string {
    if (!/^(?:https?:|[/\\])/i.test(url)) return url;
    const own = pathOf({ ...request, page: undefined, parameters: [] });
    const target = server.targetOf(url, own);
    if (target !== undefined && !/^https?:/.test(target)) return server.base + target;
    return server.base + own + (URL.canParse(url, server.base) ? new URL(url, server.base).search : '');
  }

  /** The link to a page of an export, and the key of the export in the record of accesses. `request` has the page. */
  exportLinkFor(
    server: ServerNames,
    request: FhirRequest & { exported: ExportPage; page: string },
    reader: PageReader,
    now: number,
  ): { link: string; key: string } {
    // The address of a job admits its reader to the files, so it does not belong in the record.
    const key = request.job ?? sha256(server.base + request.page);
    const link = this.sealed({ ...request, parameters: [], job: key }, reader, now + exportLifetimeMs);
    return { link, key };
  }

  /** The request that a sealed link stands for; undefined for any other address. */
  requestOf(method: string, target: string, reader: PageReader, now: number): FhirRequest | undefined {
    if (target.split('?', 1)[0] !== path) return undefined;
    const sealed = /^\?_link=([A-Za-z0-9_-]+)$/.exec(target.slice(path.length))?.[1];
    const page = sealed === undefined ? undefined : this.opened(sealed, reader);
    if (!page) throw new Refusal(403, 'forbidden', 'This link to a page is not one that this access token was given.');
    if (page.until <= now) throw new Refusal(410, 'expired', 'This link to a page has expired. Please search again.');
    const methods = page.request.exported === 'job' ? ['GET', 'HEAD', 'DELETE'] : ['GET', 'HEAD'];
    if (!methods.includes(method)) {
      throw new Refusal(405, 'not-supported', 'This method is not supported here.', { Allow: methods.join(', ') });
    }
    return page.request;
  }

  private sealed(request: FhirRequest, reader: PageReader, until: number): string {
    const page: Page = { until, request };
    const text = JSON.stringify(page);
    // Only who acts for a patient must not learn what is private: the length of a link would tell how far it leads
    // through what is left out.
    const padded =
      reader.representation === undefined ? text : text.padEnd(Math.ceil(text.length / lengthStep) * lengthStep);
    const sealed = this.secrets.seal('paging', padded, this.contextOf(reader));
    return `${this.ours}${path}?_link=${sealed.toString('base64url')}`;
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

function isSameRequest(link: FhirRequest, request: FhirRequest): boolean {
  const parts = ['interaction', 'type', 'id', 'operation', 'inRecordOf'] as const;
  return (
    request.page === undefined &&
    parts.every((part) => link[part] === request[part]) &&
    link.parameters.every(
      ([name, value]) =>
        isPagingByNumber(name, value) || request.parameters.some((own) => own[0] === name && own[1] === value),
    )
  );
}
