import {
  categoriesIn,
  codingsOf,
  hasCategory,
  hasLabel,
  isOneOf,
  labelsOf,
} from '../../../contract/rules/resources/codes.js';
import { member } from '../../../contract/rules/resources/elements.js';
import { Refusal } from '../refusal.js';
import type { RecordProtection } from './record-limit.js';

/** Elements of a Patient on which the access of representatives depends. */
const ofPatient = ['active', 'birthDate', 'deceasedBoolean', 'deceasedDateTime', 'link'];

/**
 * Throws a {@link Refusal} for a change of what decides who may act for a patient, and what they may see: apps of
 * patients leave it as it is.
 */
export function assertUnprotected(stored: unknown, written: unknown, protection: RecordProtection | undefined): void {
  const element = protection && protectedElementIn(stored, written, protection);
  if (element === undefined) return;
  const text = `This token cannot change '${element}': it decides who may act for the patient, and what they may see.`;
  const finding = { code: 'gateway-change-protected', detail: { what: element } } as const;
  throw new Refusal(403, 'forbidden', text).because(finding);
}

/**
 * The refusal of a change that would take away what is not shown. Administrators are told which elements these are, and
 * the app is not: their names tell what the record has.
 */
export function shownInPart(stored: unknown, shown: unknown): Refusal {
  const text = 'Only a part of this resource is shown with this token, so it cannot be changed.';
  const names = Object.keys(stored as object).filter((name) => !isSame(member(stored, name), member(shown, name)));
  const finding = { code: 'gateway-shown-in-part', detail: { what: names.join(', ') } } as const;
  return new Refusal(403, 'forbidden', text).because(finding);
}

/**
 * The element by which a change would decide who may act for the patient, or what they may see; undefined if it leaves
 * all of these as they are. Labels, categories and codes may be added, and not taken off. Each change of a limited
 * token leaves the patient the subject anyway.
 */
function protectedElementIn(stored: unknown, written: unknown, protection: RecordProtection): string | undefined {
  const type = String(member(stored, 'resourceType'));
  if (type === 'Patient') {
    const names = ofPatient.flatMap((name) => [name, `_${name}`]);
    const changed = names.find((name) => !isSame(member(stored, name), member(written, name)));
    if (changed !== undefined) return changed.replace('_', '');
  }
  if (losesLabel(stored, written)) return 'meta.security';
  if (losesCategory(type, stored, written, protection)) return 'category';
  return lostCode(type, stored, written, protection);
}

function losesLabel(stored: unknown, written: unknown): boolean {
  return labelsOf(stored).some((label) => !hasLabel(written, tokenOf(label)));
}

function losesCategory(type: string, stored: unknown, written: unknown, { categories }: RecordProtection): boolean {
  const kept = categories.flatMap((one) => (one.startsWith(`${type}/`) ? one.slice(type.length + 1) : []));
  if (kept.length === 0) return false;
  return categoriesIn(stored).some(
    (one) => kept.includes(String(one?.code)) && !hasCategory(written, String(one.code)),
  );
}

/** The name of the element that has a code which a level excludes, and would lose it. */
function lostCode(type: string, stored: unknown, written: unknown, { codes }: RecordProtection): string | undefined {
  for (const { element, codes: excluded } of codes) {
    const [own, name = ''] = element.split('/');
    if (own !== type) continue;
    const [before, after] = [codingsOf(stored, name), codingsOf(written, name)];
    if (excluded.some((code) => isOneOf(before, code) && !isOneOf(after, code))) return name;
  }
  return undefined;
}

function tokenOf({ system, code }: { system?: unknown; code?: unknown }): string {
  return `${system ?? ''}|${code}`;
}

/** Equal as JSON, in whatever order the members are. */
function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].every((name) => isSame(member(one, name), member(other, name)));
}
