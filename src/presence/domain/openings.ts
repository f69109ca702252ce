import type { PresenceReport, PresentState } from '../../contract/presence.js';

/** A client or user that is open in a tab of an administrator, as last reported. */
export interface Opening extends PresenceReport {
  accountId: string;
}

interface Known extends Opening {
  heardAt: number;
  savedAt: number | undefined;
}

export interface Present {
  /** Each other account once, by what it does. */
  others: { accountId: string; state: PresentState }[];
  ownTabs: PresentState | null;
}

/** A tab that is hidden reports once a minute, as slowly as browsers let it. */
const believedMs = 90_000;
const newsEveryMs = 30_000;
const savedMs = 60_000;
const mostOfAccount = 20;
const mostInAll = 2_000;
/** The one that matters most is the first. */
export const presentStates: readonly PresentState[] = ['editing', 'saved', 'viewing'];

/**
 * The records that are open in tabs, as far as they were reported lately. A tab that closes without a report is
 * forgotten after {@link believedMs}, and so is one whose node has died, unless it reports to another node. Of too many
 * the oldest are forgotten.
 */
export class Openings {
  /** By account, tab and record, in the order in which they were heard of. */
  private readonly known = new Map<string, Known>();
  /** By the same key: what this node told the others last, if it has not heard that back yet. */
  private readonly told = new Map<string, PresenceReport['state']>();

  get size(): number {
    return this.known.size;
  }

  isKnown(opening: Opening, now: number): boolean {
    this.forgetSilent(now);
    return this.known.has(keyOf(opening));
  }

  /** True if the nodes have not heard the same of this tab for a while, and are told now. */
  isNews(opening: Opening, now: number): boolean {
    const key = keyOf(opening);
    const known = this.known.get(key);
    if (known?.state === 'left') return false;
    const last = [known?.state, this.told.get(key) ?? known?.state];
    const isNews = last.some((state) => state !== opening.state) || now - (known?.heardAt ?? 0) >= newsEveryMs;
    if (isNews) this.told.set(key, opening.state);
    return isNews;
  }

  /** A tab that has left stays so: an earlier report of it may be late. */
  note(opening: Opening, now: number): void {
    this.forgetSilent(now);
    const key = keyOf(opening);
    if (this.told.get(key) === opening.state) this.told.delete(key);
    const before = this.known.get(key);
    if (before?.state === 'left') return;
    if (!before) this.makeRoom(opening.accountId);
    this.known.delete(key);
    const savedAt = opening.state === 'saved' && before?.state !== 'saved' ? now : before?.savedAt;
    this.known.set(key, { ...opening, heardAt: now, savedAt });
  }

  forgetAccount(accountId: string): void {
    for (const [key, one] of this.known) if (one.accountId === accountId) this.forget(key);
  }

  /** The use of the same record in other tabs. */
  inOtherTabs({ kind, id, accountId, tab }: Opening, now: number): Present {
    this.forgetSilent(now);
    const accounts = new Map<string, PresentState | undefined>();
    for (const one of this.known.values()) {
      if (one.kind !== kind || one.id !== id || (one.accountId === accountId && one.tab === tab)) continue;
      const both = [stateOf(one, now), accounts.get(one.accountId)];
      accounts.set(
        one.accountId,
        presentStates.find((known) => both.includes(known)),
      );
    }
    const own = accounts.get(accountId);
    accounts.delete(accountId);
    // The same on each node.
    const others = presentStates.flatMap((state) =>
      [...accounts.keys()]
        .filter((other) => accounts.get(other) === state)
        .sort()
        .map((other) => ({ accountId: other, state })),
    );
    return { others, ownTabs: own ?? null };
  }

  private forgetSilent(now: number): void {
    for (const [key, { heardAt }] of this.known) {
      if (now - heardAt < believedMs) return;
      this.forget(key);
    }
  }

  private makeRoom(accountId: string): void {
    const own: string[] = [];
    for (const [key, one] of this.known) if (one.accountId === accountId) own.push(key);
    const [oldest] = own.length >= mostOfAccount ? own : this.known.size >= mostInAll ? this.known.keys() : [];
    if (oldest !== undefined) this.forget(oldest);
  }

  private forget(key: string): void {
    this.known.delete(key);
    this.told.delete(key);
  }
}

function keyOf({ accountId, tab, kind, id }: Opening): string {
  return `${accountId} ${tab} ${kind} ${id}`;
}

/** Undefined for a tab that has left, and has not just saved. */
function stateOf({ state, savedAt }: Known, now: number): PresentState | undefined {
  if (state === 'editing') return state;
  if (savedAt !== undefined && now - savedAt < savedMs) return 'saved';
  return state === 'left' ? undefined : 'viewing';
}
