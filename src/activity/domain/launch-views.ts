import { type CauseCode, catalogue, refusesData } from '../../contract/activity/catalogue.js';
import { type Cause, type Change, type Detail, describeEntry, inUtc } from '../../contract/activity/cause.js';
import { referenceOf } from '../../contract/activity/reference.js';
import type { LaunchEntryView, LaunchRow, LaunchState, LaunchView } from '../../contract/activity.js';
import { type ClientField, clientFields, isChangeable } from '../../contract/rules/clients/client-fields.js';
import { codeSeconds } from '../../contract/rules/lifetime.js';
import { type Launch, leftAfterMinutes, leftInAnyCaseAfterMinutes, type StoredEntry } from './launch.js';

interface KnownEntry extends StoredEntry {
  key: string;
  code: CauseCode;
  cause: Cause;
}

const codes = Object.keys(catalogue) as CauseCode[];

export function codeOfKey(key: string): string {
  return key.split('\n')[0] ?? '';
}

/** A row of the list. */
export function launchRow(launch: Launch): LaunchRow {
  return rowOf(launch, standing(launch));
}

function rowOf(launch: Launch, { entries, decision, state }: Standing): LaunchRow {
  const { kind, startedAt, outcome, clientId, clientName, accountId, personName, userType } = launch;
  const isUnfinished = outcome === 'open' || outcome === 'left';
  const place = lastPlace(entries);
  return {
    reference: referenceOf(launch.id),
    kind,
    startedAt: startedAt.toISOString(),
    tookMs: tookMs(launch, entries),
    client: clientId === null ? null : { id: clientId, name: clientName },
    person: accountId === null ? null : { id: accountId, name: personName, userType },
    outcome,
    state,
    decidedBy: textsOf(decision)?.decidedBy ?? null,
    page: isUnfinished ? (place?.page ?? null) : null,
    isPageShown: isUnfinished && place?.isShown === true,
  };
}

/** The launch with everything that happened; `sameCause` is the number of launches that the same cause decided. */
export function launchView(launch: Launch, sameCause: number): LaunchView {
  const now = standing(launch);
  const view = (entry: KnownEntry) => entryView(entry, launch);
  return {
    ...rowOf(launch, now),
    entries: now.entries.map(view),
    decision: now.decision && view(now.decision),
    forDeveloper: forDeveloper(launch, now),
    sameCause,
    clientRecordId: launch.clientRecordId,
  };
}

/**
 * Everything that happened, and how the launch stands by the last of it: headline, state, advice and text for the
 * developer say the same.
 */
interface Standing {
  entries: KnownEntry[];
  /** The entry that decided about the state. */
  decision: KnownEntry | undefined;
  state: LaunchState;
}

function standing(launch: Launch): Standing {
  const stored = knownEntries(launch);
  const left = leftEntry(launch, stored);
  const entries = left ? [...stored, left] : stored;
  // Its other entries are of several requests.
  const shared = stored.find(({ code }) => code === 'record-shared');
  if (shared) return { entries, decision: shared, state: launch.outcome };
  const decided = left ?? stored.find(({ key }) => key === launch.cause);
  const since = Math.max(decided?.last ?? 0, ...stored.filter(({ code }) => isSuccess(code)).map(({ last }) => last));
  const later = stored
    .filter(
      (entry) => entry.last >= since && entry.key !== decided?.key && (isTakenBack(entry) || isRefusedRequest(entry)),
    )
    .sort((a, b) => a.last - b.last)
    .at(-1);
  if (!later) return { entries, decision: decided, state: launch.outcome };
  const state = isTakenBack(later) ? 'ended' : launch.outcome === 'completed' ? 'request-refused' : launch.outcome;
  return { entries, decision: later, state };
}

function isSuccess(code: CauseCode): boolean {
  return code === 'tokens-issued' || code === 'tokens-refreshed';
}

function isTakenBack({ cause }: KnownEntry): boolean {
  return cause.severity === 'ended';
}

function isRefusedRequest({ code }: KnownEntry): boolean {
  return refusesData(code);
}

/** The reason of the decision in one clause. */
export function decidedBy({ cause: key, entries }: Pick<Launch, 'cause' | 'entries'>): string | null {
  if (key === null) return null;
  const entry = entries[key];
  const cause = causeOf(codeOfKey(key));
  return (cause && entry && describeEntry(cause, entry.detail).decidedBy) ?? null;
}

/** A refused request of any kind. */
function isRefusal(entry: KnownEntry): boolean {
  const { severity } = entry.cause;
  return severity === 'refused' || severity === 'failed' || isRefusedRequest(entry);
}

/** True for the requests of one day; anything else is a launch. */
function isOfDay(kind: Launch['kind']): boolean {
  return kind === 'service' || kind === 'unknown';
}

/**
 * The end of a launch that was left. No request tells it, so it is found when the launch is read: each node says the
 * same, and a launch that continues after all has no trace of it.
 */
function leftEntry({ outcome, kind, startedAt }: Launch, entries: KnownEntry[]): KnownEntry | undefined {
  const has = (code: CauseCode) => entries.some((entry) => entry.code === code);
  if (outcome !== 'left' || isOfDay(kind) || !has('request-received')) return undefined;
  const lastAt = Math.max(startedAt.getTime(), ...entries.map(({ last }) => last));
  const issued = entries.find((entry) => entry.code === 'code-issued');
  const ends = issued
    ? issued.last + codeSeconds * 1000
    : Math.min(lastAt + leftAfterMinutes * 60_000, startedAt.getTime() + leftInAnyCaseAfterMinutes * 60_000);
  const at = Math.max(ends, lastAt);
  const { code, detail } = endOf(issued !== undefined, lastPlace(entries));
  return { key: code, code, cause: catalogue[code], at, last: at, count: 1, detail };
}

function endOf(isCodeIssued: boolean, place: Place | undefined): { code: CauseCode; detail: Detail } {
  if (isCodeIssued) return { code: 'code-unredeemed', detail: {} };
  if (!place) return { code: 'request-unopened', detail: {} };
  return { code: place.isShown ? 'person-gone' : 'page-unopened', detail: { page: place.page } };
}

/**
 * The entries, and the end of the access, in the order of time; those of the same millisecond in the order of the
 * catalogue, which is that of a launch, and the end last. A node of another version may have written codes that are not
 * known here.
 */
function knownEntries({ entries, endedBy, endedAt }: Pick<Launch, 'entries' | 'endedBy' | 'endedAt'>): KnownEntry[] {
  const at = endedAt?.getTime() ?? 0;
  const end = endedBy === null ? {} : { [endedBy]: { at, last: at, count: 1, detail: {} } };
  return Object.entries({ ...entries, ...end })
    .flatMap(([key, entry]) => {
      const code = codeOfKey(key) as CauseCode;
      const cause = causeOf(code);
      return cause ? [{ ...entry, key, code, cause }] : [];
    })
    .sort(
      (a, b) => a.at - b.at || Number(isEnd(a)) - Number(isEnd(b)) || codes.indexOf(a.code) - codes.indexOf(b.code),
    );
}

function causeOf(code: string): Cause | undefined {
  return Object.hasOwn(catalogue, code) ? catalogue[code as CauseCode] : undefined;
}

function isEnd({ cause: { severity } }: KnownEntry): boolean {
  return severity !== 'step' && severity !== 'notice';
}

function entryView(entry: KnownEntry, { startedAt, clientForm }: Launch): LaunchEntryView {
  const { code, cause, detail, at, last, count } = entry;
  const { stage, severity } = cause;
  const start = startedAt.getTime();
  const times = { afterMs: Math.max(0, at - start), count, lastAfterMs: Math.max(0, last - start) };
  const { change, ...texts } = withoutDeveloper(describeEntry(cause, detail));
  return { code, stage, severity, ...times, ...texts, ...(change && { change: changeable(change, clientForm) }) };
}

/** The change without a field that the client's form does not have, or that cannot be changed there. */
function changeable({ field, ...change }: Change, form: Launch['clientForm']): Change {
  const isField = field !== undefined && Object.hasOwn(clientFields, field);
  return !isField || form === null || isChangeable(field as ClientField, form)
    ? { ...change, ...(field && { field }) }
    : change;
}

function textsOf(entry: KnownEntry | undefined): ReturnType<typeof describeEntry> | undefined {
  return entry && describeEntry(entry.cause, entry.detail);
}

function withoutDeveloper({ developer: _, ...texts }: ReturnType<typeof describeEntry>) {
  return texts;
}

/**
 * A launch ends with its tokens; without them with its last entry, of which refreshes and requests for data are none.
 */
function tookMs({ startedAt }: Launch, entries: KnownEntry[]): number {
  const issued = entries.find(({ code }) => code === 'tokens-issued');
  const ends = entries.filter(
    ({ code, cause }) => code !== 'tokens-refreshed' && cause.stage !== 'gateway' && cause.stage !== 'end',
  );
  const end = issued?.at ?? Math.max(...ends.map(({ last }) => last));
  return Math.max(0, end - startedAt.getTime());
}

/** The last page of a launch; `app` from the code on. It counts as shown when a browser has asked for its content. */
interface Place {
  page: string;
  isShown: boolean;
}

/** In the order in which those of the same millisecond count. */
const placeCodes: readonly CauseCode[] = ['page-sent', 'page-shown', 'code-issued'];

function lastPlace(entries: KnownEntry[]): Place | undefined {
  const last = entries
    .filter(({ code }) => placeCodes.includes(code))
    .sort((a, b) => a.last - b.last || placeCodes.indexOf(a.code) - placeCodes.indexOf(b.code))
    .at(-1);
  if (last?.code === 'code-issued') return { page: 'app', isShown: true };
  return last?.detail.page === undefined
    ? undefined
    : { page: String(last.detail.page), isShown: last.code === 'page-shown' };
}

/** The known facts where nothing decided: each claim about a missing event names the record. */
function withoutDecision({ outcome, kind }: Launch, entries: KnownEntry[]): string {
  if (outcome === 'completed') {
    return entries.some(isRefusal)
      ? 'Tokens were issued to your app. Requests were refused before the last success:'
      : 'Tokens were issued to your app. No refused request is recorded.';
  }
  if (outcome !== 'open') return 'Your launch has ended.';
  if (isOfDay(kind)) return 'No issued token is recorded yet.';
  const { page, isShown } = lastPlace(entries) ?? {};
  if (page === 'app') return 'A code was sent to your redirect URI. No token request with it is recorded yet.';
  if (page === undefined) return 'Your launch has begun. No page that was shown for it is recorded yet.';
  return isShown
    ? `The last page that was shown to the user is ${page}. No code is recorded yet.`
    : `The browser was sent to the page ${page}. No browser that showed it is recorded yet.`;
}

/** Text for the app's developer: the decision, the changes of what was requested, the time and the reference. */
function forDeveloper(launch: Launch, { entries, decision }: Standing): string {
  const isOvercome = (entry: KnownEntry) => !decision && launch.outcome === 'completed' && isRefusal(entry);
  const text = textsOf(decision)?.developer ?? withoutDecision(launch, entries);
  const changes = entries
    .filter((entry) => entry.key !== decision?.key && (entry.cause.severity === 'notice' || isOvercome(entry)))
    .flatMap((entry) => textsOf(entry)?.developer ?? [])
    .filter((one, index, all) => all.indexOf(one) === index);
  const time = decision ? new Date(decision.last) : launch.startedAt;
  return [
    text,
    ...changes.map((one) => `- ${one}`),
    `${decision ? 'Time' : 'Started'}: ${inUtc(time)}`,
    `Reference: ${referenceOf(launch.id)}`,
  ].join('\n');
}
