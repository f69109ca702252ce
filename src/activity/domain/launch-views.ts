import { type CauseCode, catalogue } from '../../contract/activity/catalogue.js';
import { type Cause, type Detail, describeEntry } from '../../contract/activity/cause.js';
import { referenceOf } from '../../contract/activity/reference.js';
import type { LaunchEntryView, LaunchRow, LaunchView } from '../../contract/activity.js';
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
  const { kind, startedAt, outcome, clientId, clientName, accountId, personName, userType } = launch;
  const entries = knownEntries(launch);
  return {
    reference: referenceOf(launch.id),
    kind,
    startedAt: startedAt.toISOString(),
    tookMs: tookMs(launch, entries),
    client: clientId === null ? null : { id: clientId, name: clientName },
    person: accountId === null ? null : { id: accountId, name: personName, userType },
    outcome,
    decidedBy: decidedBy(launch) ?? textsOf(leftEntry(launch, entries))?.decidedBy ?? null,
    page: outcome === 'open' || outcome === 'left' ? lastPage(entries) : null,
  };
}

/** The launch with everything that happened; `sameCause` is the number of launches that the same cause decided. */
export function launchView(launch: Launch, sameCause: number): LaunchView {
  const stored = knownEntries(launch);
  const end = leftEntry(launch, stored);
  const known = end ? [...stored, end] : stored;
  const view = (entry: KnownEntry) => entryView(entry, launch.startedAt.getTime());
  const decision = end ?? known.find(({ key }) => key === launch.cause);
  return {
    ...launchRow(launch),
    entries: known.map(view),
    decision: decision && view(decision),
    forDeveloper: forDeveloper(launch, known, decision),
    sameCause,
    clientRecordId: launch.clientRecordId,
  };
}

/** The reason of the decision in one clause. */
export function decidedBy({ cause: key, entries }: Pick<Launch, 'cause' | 'entries'>): string | null {
  if (key === null) return null;
  const entry = entries[key];
  const cause = causeOf(codeOfKey(key));
  return (cause && entry && describeEntry(cause, entry.detail).decidedBy) ?? null;
}

/**
 * The end of a launch that was left. No request tells it, so it is found when the launch is read: each node says the same, and a
 * launch that goes on after all has no trace of it.
 */
function leftEntry({ outcome, kind, startedAt }: Launch, entries: KnownEntry[]): KnownEntry | undefined {
  const has = (code: CauseCode) => entries.some((entry) => entry.code === code);
  if (outcome !== 'left' || kind === 'service' || !has('request-received')) return undefined;
  const lastAt = Math.max(startedAt.getTime(), ...entries.map(({ last }) => last));
  const at = Math.min(lastAt + leftAfterMinutes * 60_000, startedAt.getTime() + leftInAnyCaseAfterMinutes * 60_000);
  const { code, detail } = endOf(has('code-issued'), lastPage(entries));
  return { key: code, code, cause: catalogue[code], at, last: at, count: 1, detail };
}

function endOf(isCodeIssued: boolean, page: string | null): { code: CauseCode; detail: Detail } {
  if (isCodeIssued) return { code: 'code-unredeemed', detail: {} };
  return page === null ? { code: 'request-unopened', detail: {} } : { code: 'person-gone', detail: { page } };
}

/**
 * The entries in the order of time; those of the same millisecond in the order of the catalogue, which is that of a launch, and
 * the end last. A node of another version may have written codes that are not known here.
 */
function knownEntries({ entries }: Pick<Launch, 'entries'>): KnownEntry[] {
  return Object.entries(entries)
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

function entryView({ code, cause, detail, at, last, count }: KnownEntry, start: number): LaunchEntryView {
  const { stage, severity } = cause;
  const times = { afterMs: Math.max(0, at - start), count, lastAfterMs: Math.max(0, last - start) };
  return { code, stage, severity, ...times, ...withoutDeveloper(describeEntry(cause, detail)) };
}

function textsOf(entry: KnownEntry | undefined): ReturnType<typeof describeEntry> | undefined {
  return entry && describeEntry(entry.cause, entry.detail);
}

function withoutDeveloper({ developer: _, ...texts }: ReturnType<typeof describeEntry>) {
  return texts;
}

/** A launch ends with its tokens; without them with its last entry, of which refreshes and requests for data are none. */
function tookMs({ startedAt }: Launch, entries: KnownEntry[]): number {
  const issued = entries.find(({ code }) => code === 'tokens-issued');
  const ends = entries.filter(({ code, cause }) => code !== 'tokens-refreshed' && cause.stage !== 'gateway');
  const end = issued?.at ?? Math.max(...ends.map(({ last }) => last));
  return Math.max(0, end - startedAt.getTime());
}

function lastPage(entries: KnownEntry[]): string | null {
  const pages = entries.filter(({ code }) => code === 'page-shown').sort((a, b) => a.last - b.last);
  const page = pages.at(-1)?.detail.page;
  return page === undefined ? null : String(page);
}

const withoutDecision: Partial<Record<Launch['outcome'], string>> = {
  completed: 'Your launch was completed: tokens were issued.',
  open: 'Your launch is under way.',
};

/** Text for the app's developer: the decision, the changes of what was requested, the time and the reference. */
function forDeveloper(launch: Launch, entries: KnownEntry[], decision: KnownEntry | undefined): string {
  const text = textsOf(decision)?.developer ?? withoutDecision[launch.outcome] ?? 'Your launch has ended.';
  const changes = entries
    .filter(({ cause }) => cause.severity === 'notice')
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

const date = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' });
const time = new Intl.DateTimeFormat('en-US', { timeStyle: 'medium', timeZone: 'UTC' });

/** `November 22, 2026, 10:42:31 AM UTC`, with plain spaces. Some versions of Node put a narrow one before AM. */
function inUtc(at: Date): string {
  return `${date.format(at)}, ${time.format(at)} UTC`.split(/\s/).join(' ');
}
