import type { Message } from '../../../src/contract/messages/message.js';
import type { ReadinessState } from '../../../src/contract/readiness.js';
import type { Finding, Named } from '../../../src/readiness/domain/finding.js';

export const hour = 3600;
export const day = 24 * hour;
export const named = (...names: string[]): Named => ({
  count: names.length,
  first: names.map((name) => ({ id: `id-${name}`, name })),
});
export const none = named();

/** The expected finding: its state, its message, and what to do (message and step) unless it passes. */
export type RuleRow = [
  name: string,
  found: Finding,
  state: ReadinessState,
  code: string,
  params?: object,
  next?: string,
];

/** A finding in one line per part; the codes without their common beginning. */
function partsOf({ state, finding, advice, remedy }: Finding): unknown[] {
  const step =
    remedy &&
    { page: 'to', setting: 'key', command: 'command', 'test-mail': 'kind' }[remedy.kind].replace(/.*/, (member) =>
      String(remedy[member as keyof typeof remedy]),
    );
  const label = remedy?.kind === 'page' ? ` (${short(remedy.label)})` : '';
  const next = [advice && short(advice), step && `${step}${label}`].filter(Boolean).join(' | ');
  return [state, short(finding), finding.params, next || undefined];
}

const short = ({ code }: Message) => code.replace('readiness-', '');

/** Jest takes a parameter that a row does not have for a callback. */
export const expectRows = (rows: RuleRow[]) =>
  it.each(rows.map(([name, ...row]) => ({ name, row })))('$name', ({ row: [found, state, code, params, next] }) => {
    expect(partsOf(found)).toEqual([state, code, params, next]);
  });
