import type { ConsentRequest } from '../../../../../src/contract/consent.js';
import { type AskedKind, type AskedOf, summaryOf } from '../../../../../src/contract/rules/scopes/access-summary.js';
import { t } from '../../../shared/i18n/i18n.js';
import { duration } from '../../../shared/i18n/language.js';
import { kindWord, listText } from '../../../shared/scopes/scope-texts.js';
import type { ConsentWords } from './consent-words.js';

/** Kinds that the sentence names; of more it tells the number. */
const named = 2;

/** The sentence that sums up what the app asks for, whatever is ticked; `<b>…</b>` is emphasised. */
export function summaryText(request: ConsentRequest, words: ConsentWords): string {
  const { apiScopes, identityScopes, ownRecord, lasting } = request;
  const { asked, others, offline } = summaryOf(apiScopes, ownRecord);
  const data = words.ownedBy(ownRecord || request.patient ? 'one' : 'many', t('consent.healthData'));
  const acts = [
    ...asked.flatMap((one) => actsOf(one, words)),
    ...(others > 0 ? [t('consent.summary.others', { count: others })] : []),
  ];
  const without = identityScopes.length > 0 ? t('consent.summary.identity') : t('consent.summary.nothing', { data });
  return t('consent.summary.text', {
    acts: acts.length > 0 ? listText(acts) : without,
    time: timeText(offline, lasting.seconds),
  });
}

function actsOf({ reach, see, change }: AskedOf, words: ConsentWords): string[] {
  const record = words.ownedBy(reach, t('consent.record'));
  const data = words.ownedBy(reach, t('consent.healthData'));
  const act = (verb: 'see' | 'change' | 'both', kinds: AskedOf['see'], isBare = false): string[] => {
    if (kinds === 'everything') return [t(`consent.summary.${verb}Everything`, { record })];
    if (kinds.length === 0) return [];
    if (kinds.length > named) return [t(`consent.summary.${verb}Kinds`, { count: kinds.length, data })];
    return [
      t(`consent.summary.${verb}`, { what: kindsText(kinds, (what) => (isBare ? what : words.ownedBy(reach, what))) }),
    ];
  };
  if (JSON.stringify(see) === JSON.stringify(change)) return act('both', see);
  // The patient was named in the words before.
  return [...act('see', see), ...act('change', change, see.length > 0 && !words.isOwn(reach))];
}

function kindsText(kinds: AskedKind[], whose: (what: string) => string): string {
  if (kinds.every(({ partly }) => !partly)) return whose(listText(kinds.map(({ type }) => kindWord(type))));
  return listText(
    kinds.map(({ type, partly }) => {
      const what = whose(kindWord(type));
      return partly ? t('consent.summary.someOf', { what }) : what;
    }),
  );
}

function timeText(offline: boolean, seconds: number | null): string {
  const text = offline ? 'offline' : 'online';
  return seconds === null
    ? t(`consent.summary.${text}`)
    : t(`consent.summary.${text}For`, { duration: duration(seconds) });
}
