import { Readable } from 'node:stream';
import { stringify } from 'lossless-json';
import { assertMayBeLimited, type BundleEntry, readBundle, readEntry } from '../domain/bundle-request.js';
import { replaceReferences } from '../domain/references/search-references.js';
import { Refusal } from '../domain/refusal.js';
import type { GatewayAnswer } from './server/gateway-request.js';
import { losslessInTurns, losslessParse } from './server/lossless-parse.js';
import { readJson } from './server/resource-body.js';
import { fhirJson } from './server/server-exchange.js';

/** The look-up for a create with a condition: the one resource that the condition finds, as JSON, if any. */
export interface LookedUp {
  found: string | undefined;
}

interface Existing {
  resourceType: string;
  id: string;
  meta?: { versionId?: string; lastUpdated?: string };
}

/** A transaction of which the gateway has looked up conditional creates. */
export interface PlainTransaction {
  /** The Bundle without the creates of what exists, and the others without the conditions that were looked up. */
  text: string;
  entries: readonly unknown[];
  /** The existing resources by the places of their creates in the app's Bundle, in their order. */
  existing: ReadonlyMap<number, Existing>;
}

/**
 * Looks up the conditional creates of a transaction (`ifNoneExist`, FHIR R4 §3.1.0.11.2) and makes it a plain one:
 * references to what exists are literal. `lookUp` returns undefined for a condition that is left to the server.
 */
export async function withLookedUpCreates(
  text: string,
  entries: readonly unknown[],
  lookUp: (entry: BundleEntry) => Promise<LookedUp | undefined>,
): Promise<PlainTransaction> {
  const lookedUp = new Map<number, LookedUp>();
  const conditions = new Set<string>();
  for (const [index, part] of entries.entries()) {
    if (!hasCondition(part)) continue;
    const entry = readEntry(part);
    const found = await lookUp(entry);
    if (!found) continue;
    assertMayBeLimited(entries);
    lookedUp.set(index, found);
    // Neither is there before the other.
    const condition = `${entry.target}?${entry.headers['if-none-exist']}`;
    if (conditions.has(condition)) throw new Refusal(400, 'invalid', 'Two entries have the same ifNoneExist.');
    conditions.add(condition);
  }
  if (lookedUp.size === 0) return { text, entries, existing: new Map() };
  const existing = new Map(
    [...lookedUp].flatMap(([index, { found }]) =>
      found === undefined ? [] : [[index, JSON.parse(found) as Existing]],
    ),
  );
  const plain = plainBundle(await losslessInTurns(text), lookedUp, existing);
  return { text: plain, entries: readBundle(await readJson(plain)).entries, existing };
}

function hasCondition(entry: unknown): boolean {
  const { request } = (entry ?? {}) as { request?: { ifNoneExist?: unknown } | null };
  return request?.ifNoneExist !== undefined;
}

/** Takes JSON of the lossless parser. */
function plainBundle(
  bundle: unknown,
  lookedUp: ReadonlyMap<number, LookedUp>,
  existing: ReadonlyMap<number, Existing>,
): string {
  const { entry: all, ...rest } = bundle as { entry: { fullUrl?: string; request: { ifNoneExist?: string } }[] };
  const addresses = new Map<string, string>();
  for (const [index, { resourceType, id }] of existing) {
    const name = all[index]?.fullUrl;
    if (name !== undefined) addresses.set(name, `${resourceType}/${id}`);
  }
  for (const index of lookedUp.keys()) delete all[index]?.request.ifNoneExist;
  const entry = all.filter((_, index) => !existing.has(index));
  replaceReferences(entry, addresses, ['reference', 'url']);
  return stringify({ ...rest, entry }) ?? '';
}

/** The answer to a transaction of which nothing is left to be sent. */
export const nothingLeft: GatewayAnswer = {
  status: 200,
  headers: { 'Content-Type': fhirJson },
  body: '{"resourceType":"Bundle","type":"transaction-response","entry":[]}',
};

/** The answer to a plain transaction of so many entries, with an entry for each resource that exists. */
export function withExisting(
  answer: GatewayAnswer,
  { existing, entries }: Pick<PlainTransaction, 'existing' | 'entries'>,
): GatewayAnswer {
  if (existing.size === 0) return answer;
  const { parsed: _parsed, ...told } = answer;
  const record = { ...answer.record, before: [...(answer.record?.before ?? []), ...existing.values()] };
  const bundle = bundleIn(answer);
  if (bundle?.entry.length !== entries.length) return { ...answer, record };
  for (const [index, resource] of existing) bundle.entry.splice(index, 0, { response: responseOf(resource) });
  return { ...told, body: stringify(bundle) ?? '', record };
}

/** Undefined for an answer without a Bundle, such as one that cannot be read. */
function bundleIn({ body }: GatewayAnswer): { entry: unknown[] } | undefined {
  if (body === undefined || body instanceof Readable || body.length === 0) return undefined;
  const bundle = losslessParse(body.toString()) as { resourceType?: unknown; entry?: unknown };
  if (bundle.resourceType !== 'Bundle') return undefined;
  return { ...bundle, entry: Array.isArray(bundle.entry) ? bundle.entry : [] };
}

/** As a server answers a conditional create that finds a match (FHIR R4 §3.1.0.8.1). */
function responseOf({ resourceType, id, meta: { versionId, lastUpdated } = {} }: Existing): object {
  const address = `${resourceType}/${id}`;
  return {
    status: '200',
    location: versionId === undefined ? address : `${address}/_history/${versionId}`,
    ...(versionId !== undefined && { etag: `W/"${versionId}"` }),
    ...(lastUpdated !== undefined && { lastModified: lastUpdated }),
  };
}
