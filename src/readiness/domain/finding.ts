import type { Message } from '../../contract/messages/message.js';
import type { ReadinessState } from '../../contract/readiness.js';

/** The one next step: a page of the admin area, a key of the configuration, a command, or the test mail. */
export type Remedy =
  | { kind: 'page'; to: string; label: Message }
  | { kind: 'setting'; key: string }
  | { kind: 'command'; command: string }
  | { kind: 'test-mail' };

/** The result of a check. */
export interface Finding {
  state: ReadinessState;
  finding: Message;
  advice?: Message;
  remedy?: Remedy;
}

/** Objects that a check found: how many, and the first ones. */
export interface Named {
  count: number;
  first: readonly { id: string; name: string }[];
}

export const minute = 60;
export const hour = 60 * minute;
export const day = 24 * hour;

const longestName = 60;

export function pass(finding: Message): Finding {
  return { state: 'pass', finding };
}

export const setting = (key: string): Remedy => ({ kind: 'setting', key });
export const command = (words: string): Remedy => ({ kind: 'command', command: `npx gatehouse ${words}` });

/** 'Heart Diary, Ward Round (+3)'. Names are chosen by others: control characters and their length must do no harm. */
export function namesOf({ count, first }: Named): string {
  const more = count > first.length ? ` (+${count - first.length})` : '';
  return first.map(({ name }) => printable(name)).join(', ') + more;
}

export function printable(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
  const letters = [...line];
  return letters.length > longestName ? `${letters.slice(0, longestName).join('')}…` : line;
}

/** Seconds for display in their largest unit: '3 days', not '3 days 4 hours 7 minutes'. */
export function roughly(seconds: number): number {
  const unit = [day, hour, minute].find((size) => seconds >= (size === day ? 2 * day : size)) ?? 1;
  return Math.max(1, Math.floor(seconds / unit)) * unit;
}
