import type { ForWhom } from '../../../../src/contract/launch-context.js';
import { display } from '../../shared/i18n/fhir-dates.js';
import { t } from '../../shared/i18n/i18n.js';
import { namesOfKinds, onlyLine } from '../../shared/levels/level-texts.js';
import { relationText } from '../../shared/ui/flow/relation-text.js';
import './words/en.js';

export function isFull({ relation, kinds }: Pick<ForWhom, 'relation' | 'kinds'>): boolean {
  return relation !== null && kinds === null;
}

/** The relation to the user, the access, its end, and the next change. */
export function linesOf({ relation, birthDate, kinds, end, next }: ForWhom, now = new Date()): string[] {
  if (relation === null) return [t('launchContext.forWhom.own')];
  return [
    relationText(relation, birthDate, now),
    ...(kinds === null ? [] : [onlyLine(namesOfKinds(kinds))]),
    ...untilText(end, next),
  ];
}

/** The earlier one: the end of the period, or an age that changes it. */
function untilText(end: string | null, next: ForWhom['next']): string[] {
  const date = (day: string) => display(day, 'long');
  if (next && (end === null || next.on <= end)) {
    const { ends, needsAgreement, on } = next;
    const text = ends ? 'endsOn' : needsAgreement ? 'agreementFrom' : 'lessFrom';
    return [t(`launchContext.forWhom.${text}`, { date: date(on) })];
  }
  return end === null ? [] : [t('launchContext.forWhom.until', { date: date(end) })];
}
