import { type CauseCode, catalogue, type DetailArguments } from '../../contract/activity/catalogue.js';
import type { Cause, Detail } from '../../contract/activity/cause.js';
import { launchIdLength, referenceAlphabet, referenceOf } from '../../contract/activity/reference.js';
import type { ContinuationFault } from '../../contract/authorization.js';
import { randomLetters, type Secrets } from '../crypto/secrets.js';
import type { LaunchNotes, NotedEntry } from '../request/scope.js';
import { requestContext } from '../request/scope.js';

const longest = 300;
const longestClientId = 200;

/** Notes an entry about the launch that the current request belongs to; without a request there is nothing to note. */
export function note<Code extends CauseCode>(code: Code, ...[detail]: DetailArguments<Code>): void {
  notes()?.entries.push({ code, at: Date.now(), detail: harmless((detail ?? {}) as Detail) });
}

/** Says which launch the current request belongs to, and whose it is. Members that are undefined change nothing. */
export function identifyLaunch(facts: Omit<LaunchNotes, 'entries'>): void {
  const current = notes();
  if (!current) return;
  if (facts.id !== undefined) current.id = facts.id;
  if (facts.kind !== undefined) current.kind = facts.kind;
  if (facts.isHidden !== undefined) current.isHidden = facts.isHidden;
  if (facts.codeHash !== undefined) current.codeHash = facts.codeHash;
  if (current.isShared) return;
  // It comes from the request, as details do.
  if (facts.clientId !== undefined) current.clientId = harmlessText(facts.clientId, longestClientId);
  if (facts.accountId !== undefined) current.accountId = facts.accountId;
}

/** Says that the record of the current request is that of several callers. */
export function shareRecord(): void {
  const current = notes();
  if (!current) return;
  delete current.clientId;
  delete current.accountId;
  current.isShared = true;
  note('record-shared');
}

/** The id of the current request's launch, which begins with this call if it is not known yet. */
export function currentLaunchId(): string {
  const current = notes();
  if (!current) return newLaunchId();
  current.id ??= newLaunchId();
  return current.id;
}

/** The reference of the current request's launch, if the request belongs to one and its answer may tell it. */
export function currentReference(): string | undefined {
  const { id, isHidden } = requestContext.getStore()?.launch ?? {};
  return id === undefined || isHidden ? undefined : referenceOf(id);
}

/** The client of the current request, as it was identified. */
export function namedClientId(): string | undefined {
  return requestContext.getStore()?.launch?.clientId;
}

/** True if the current request belongs to a launch, or has a record of its own. */
export function isIdentified(): boolean {
  return requestContext.getStore()?.launch?.id !== undefined;
}

/** The last entry of the current request that ends the launch. */
export function decidingEntry(): (NotedEntry & { cause: Cause }) | undefined {
  const entry = requestContext.getStore()?.launch?.entries.findLast(({ code }) => endsLaunch(catalogue[code]));
  return entry && { ...entry, cause: catalogue[entry.code] };
}

/** Causes that the page tells the user; the same for a client that is disabled and for one that never was. */
const continuationFaults: Partial<Record<CauseCode, ContinuationFault>> = {
  'continued-late': 'expired',
  'continued-without-cookie': 'no-cookie',
  'continued-in-other-browser': 'other-browser',
  'continued-by-other-person': 'other-sign-in',
  'continued-after-end': 'gone',
  'continued-by-cut-address': 'cut-address',
  'client-unknown': 'client',
  'client-misspelled': 'client',
  'client-damaged': 'client',
  'client-named': 'client',
  'client-placeholder': 'client',
  'client-disabled': 'client',
};

/** Why the current request cannot be continued, as far as its page tells it. */
export function continuationFault(): ContinuationFault | undefined {
  const entries = requestContext.getStore()?.launch?.entries ?? [];
  return entries.map(({ code }) => continuationFaults[code]).findLast((one) => one !== undefined);
}

/** Names of the scopes that the current request asked for and does not get. */
export function droppedScopes(): string[] {
  const entries = requestContext.getStore()?.launch?.entries ?? [];
  const dropped = entries.filter(({ code }) => {
    const { stage, title }: Cause = catalogue[code];
    // A narrowed scope, and one that permits nothing here, is granted.
    return stage === 'scopes' && title.endsWith(' was dropped');
  });
  return [...new Set(dropped.flatMap(({ detail: { scope } }) => (scope === undefined ? [] : [String(scope)])))];
}

export function endsLaunch({ severity }: Cause): boolean {
  return severity === 'refused' || severity === 'failed' || severity === 'declined';
}

/** The id of a launch that begins. */
export function newLaunchId(): string {
  return randomLetters(launchIdLength);
}

/** One id for all requests with these facts on one day (UTC): a client that repeats its mistake fills one row. */
export function launchIdOfDay(secrets: Secrets, ...facts: string[]): string {
  const day = new Date().toISOString().slice(0, 10);
  // Keyed, or a caller could compute from a reference which of two causes, and so which client, exists.
  const hash = Buffer.from(secrets.hmac('launch', [day, ...facts].join('\n')), 'base64url');
  const letters = [...hash.subarray(0, launchIdLength)];
  return letters.map((byte) => referenceAlphabet[byte % referenceAlphabet.length]).join('');
}

function notes(): LaunchNotes | undefined {
  const context = requestContext.getStore();
  if (!context) return undefined;
  context.launch ??= { entries: [] };
  return context.launch;
}

/**
 * Values come from requests: control characters and direction marks are shown as a replacement character, long texts
 * are cut.
 */
function harmless(detail: Detail): Detail {
  return Object.fromEntries(
    Object.entries(detail).map(([name, value]) => [name, typeof value === 'number' ? value : harmlessText(value)]),
  );
}

function harmlessText(text: string, most = longest): string {
  const cut = text.length > most ? `${text.slice(0, most)}…` : text;
  return cut.replace(/[\p{Cc}\p{Cs}\p{Bidi_Control}]/gu, '\uFFFD');
}
