import type { ConsentRequest } from '../../../../../src/contract/consent.js';
import {
  type Act,
  type AskedKinds,
  type AskedOf,
  acts,
  summaryOf,
} from '../../../../../src/contract/rules/scopes/access-summary.js';
import { t } from '../../../shared/i18n/i18n.js';
import { duration, plainList } from '../../../shared/i18n/language.js';
import { kindName } from '../../../shared/scopes/scope-texts.js';
import type { ConsentWords } from './consent-words.js';

/** Kinds that a line names; of more it tells the number. */
const named = 2;

/** The lines that sum up what the app asks for, whatever is ticked; `<b>…</b>` is emphasised. */
export function summaryLines(request: ConsentRequest, words: ConsentWords): string[] {
  const { apiScopes, identityScopes, ownRecord, lasting } = request;
  const { asked, others, offline } = summaryOf(apiScopes, ownRecord);
  const lines = [
    ...asked.flatMap((one) => [words.owner(one.reach), ...actLines(one)]),
    ...(others > 0 ? [t('consent.asks.others', { count: others })] : []),
  ];
  const without = t(identityScopes.length > 0 ? 'consent.asks.identity' : 'consent.asks.nothing');
  return [...(lines.length > 0 ? lines : [without]), timeText(offline, lasting.seconds)];
}

/** Acts that are told by one line where they are asked for of the same kinds. */
const together = [
  { key: 'all', acts },
  { key: 'write', acts: ['add', 'change', 'delete'] },
  { key: 'addChange', acts: ['add', 'change'] },
] as const;

function actLines(asked: AskedOf): string[] {
  const lines: string[] = [];
  for (let rest: readonly Act[] = acts; rest[0]; ) {
    const [act] = rest;
    const same = (other: Act) => JSON.stringify(asked[other]) === JSON.stringify(asked[act]);
    const joined = together.find((one) => one.acts[0] === act && one.acts.every(same));
    const told: readonly Act[] = joined?.acts ?? [act];
    if (asked[act].length > 0) lines.push(t(`consent.asks.${joined?.key ?? act}`, { what: kindsText(asked[act]) }));
    rest = rest.filter((other) => !told.includes(other));
  }
  return lines;
}

function kindsText(kinds: AskedKinds): string {
  if (kinds === 'everything') return t('consent.asks.everything');
  if (kinds.length > named) return t('consent.asks.kinds', { count: kinds.length });
  return plainList(
    kinds.map(({ type, partly }) => (partly ? t('consent.asks.inPart', { what: kindName(type) }) : kindName(type))),
  );
}

function timeText(offline: boolean, seconds: number | null): string {
  const text = offline ? 'offline' : 'online';
  return seconds === null ? t(`consent.asks.${text}`) : t(`consent.asks.${text}For`, { duration: duration(seconds) });
}
