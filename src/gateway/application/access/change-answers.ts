import { stringify } from 'lossless-json';
import { type Cancellation, type FhirServerAnswer, isJson } from '../../../fhir-server/application/fhir-server.js';
import { entryAboutLost, type RewriteLink, rewrittenLinks } from '../../domain/answers/bundle-links.js';
import { actionsOf } from '../../domain/condition.js';
import type { ServerNames } from '../../domain/patient-compartment.js';
import { isPermitted } from '../../domain/permission.js';
import type { GatewayAnswer } from '../server/gateway-request.js';
import { losslessParse } from '../server/lossless-parse.js';
import { fhirJson, type ServerExchange } from '../server/server-exchange.js';
import { outcomeWithoutWords } from '../server/server-refusal.js';
import type { AuthorizedRequest } from './authorized-request.js';

/** A request of a limited token that was carried out. */
export interface CarriedOut {
  /** The type of the resource. */
  type: string;
  /** True if the app may have this resource of that type. */
  permits(resource: unknown): boolean;
}

/** The requests of a transaction, with one of each for every entry. */
export interface CarriedOutTogether {
  /** Undefined where the token may have all that the server says. */
  changes: readonly (CarriedOut | undefined)[];
  /** For a search, rewrites the links to its pages. */
  searches: readonly (RewriteLink | undefined)[];
}

/** The limit of the answer to a permitted request; undefined if the token may have all that the server says. */
export function changeOf({ fhir, token, permissions }: AuthorizedRequest, server: ServerNames): CarriedOut | undefined {
  if (token.hearsServer(fhir.type, actionsOf(fhir))) return undefined;
  return { type: fhir.type, permits: (resource) => isPermitted(resource, permissions, server) };
}

type Json = Record<string, unknown>;

const notJson = new Error('it is not FHIR JSON, or is cut off');

const carriedOut = 'The FHIR server carried the request out.';
const withheld = `${carriedOut} Its answer is not shown with this token.`;

/**
 * The answers to changes that the server has carried out for a token that is limited to a patient or to categories.
 * They are checked like a read: a server may answer more than the app wrote, and with words of its own. What it did is
 * told in any case, because an app repeats what it takes for failed.
 */
export class ChangeAnswers {
  constructor(private readonly exchange: ServerExchange) {}

  async ofChange(answer: FhirServerAnswer, change: CarriedOut, cancellation: Cancellation): Promise<GatewayAnswer> {
    const { status } = answer;
    const headers = this.exchange.headersOf(answer);
    const text = await this.textOf(answer, cancellation);
    if (text === '') return { status, headers };
    const resource = parsed(text, JSON.parse);
    if (resource === undefined) return this.exchange.unreadable(answer, notJson);
    const whole = { status, headers: { ...headers, 'Content-Type': fhirJson } };
    if (isShown(resource, change)) return { ...whole, body: this.exchange.forApp(text ?? ''), parsed: resource };
    return { ...whole, body: outcomeOf(resource, change.type), isNotice: true };
  }

  async ofTransaction(
    answer: FhirServerAnswer,
    { changes, searches }: CarriedOutTogether,
    cancellation: Cancellation,
  ): Promise<GatewayAnswer> {
    const { status } = answer;
    const headers = { ...this.exchange.headersOf(answer), 'Content-Type': fhirJson };
    const text = await this.textOf(answer, cancellation);
    if (text === '') return { status, headers: this.exchange.headersOf(answer) };
    const bundle = parsed(text, losslessParse) as
      | { resourceType?: unknown; type?: unknown; entry?: unknown }
      | undefined;
    if (bundle === undefined) return this.exchange.unreadable(answer, notJson);
    if (bundle?.resourceType !== 'Bundle') return { status, headers, body: outcomeOf(undefined, 'Bundle') };
    const entries = Array.isArray(bundle.entry) ? bundle.entry : [];
    // Without an entry for each request it is not known what an entry is about.
    const isComplete = entries.length === changes.length;
    const entry = entries.map((one, index) => {
      const change = isComplete ? changes[index] : nothing;
      if (change) return checkedEntry(one, change);
      const pageLink = searches[index];
      return pageLink ? withPages(one, pageLink) : one;
    });
    const type = 'transaction-response';
    const checked = { resourceType: 'Bundle', type, ...(entry.length > 0 && { entry }) };
    return { status, headers, body: this.exchange.forApp(stringify(checked) ?? '') };
  }

  /** Undefined for an answer that cannot be read. */
  private async textOf(answer: FhirServerAnswer, cancellation: Cancellation): Promise<string | undefined> {
    try {
      if (isJson(answer)) return await this.exchange.readChecked(answer, cancellation);
      return await answer.text(0);
    } catch {
      answer.discard();
      return undefined;
    }
  }
}

const nothing: CarriedOut = { type: '', permits: () => false };

function isShown(resource: unknown, { type, permits }: CarriedOut): boolean {
  return (resource as Json | null | undefined)?.resourceType === type && permits(resource);
}

/** Takes JSON of a parser that keeps decimals. */
function checkedEntry(entry: unknown, change: CarriedOut): Json {
  const { resource, response } = (entry ?? {}) as Json;
  const { status, location, etag, lastModified, outcome } = (response ?? {}) as Json;
  const told = { status, location, etag, lastModified };
  const plain = resource === undefined ? undefined : parsed(stringify(resource), JSON.parse);
  return {
    ...(isShown(plain, change) && { resource }),
    response: outcome === undefined ? told : { ...told, outcome: JSON.parse(outcomeOf(outcome, change.type)) },
  };
}

/** The answer to a search in a transaction, with links that the app can follow. */
function withPages(entry: unknown, pageLink: RewriteLink): unknown {
  const { resource } = (entry ?? {}) as { resource?: Json | null };
  if (resource?.resourceType !== 'Bundle') return entry;
  const { links, lost } = rewrittenLinks(resource.link, pageLink);
  const told = lost.length > 0 ? [entryAboutLost(lost, 'searchset')] : [];
  const { link: _link, entry: found = [], ...rest } = resource;
  const shown = [...(Array.isArray(found) ? found : []), ...told];
  const whole = { ...rest, ...(links.length > 0 && { link: links }), ...(shown.length > 0 && { entry: shown }) };
  return { ...(entry as object), resource: whole };
}

function outcomeOf(resource: unknown, type: string): string {
  const isOutcome = (resource as Json | null | undefined)?.resourceType === 'OperationOutcome';
  const [words, diagnostics] = isOutcome ? [JSON.stringify(resource), carriedOut] : ['', withheld];
  return outcomeWithoutWords(words, { severity: 'information', code: 'informational', diagnostics, type });
}

function parsed(text: string | undefined, parser: (text: string) => unknown): unknown {
  try {
    return text === undefined ? undefined : parser(text);
  } catch {
    return undefined;
  }
}
