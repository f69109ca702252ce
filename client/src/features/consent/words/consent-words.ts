import type { ConsentRequest } from '../../../../../src/contract/consent.js';
import type { AccessRow, Reach, RowSubject } from '../../../../../src/contract/rules/scopes/access-rows.js';
import { categoryOf, describeScope, verbs } from '../../../../../src/contract/rules/scopes/scope-description.js';
import { parseScope } from '../../../../../src/contract/rules/scopes/smart-scope.js';
import { t } from '../../../shared/i18n/i18n.js';
import { isolateName } from '../../../shared/i18n/isolate-name.js';
import { plainList } from '../../../shared/i18n/language.js';
import { textAt } from '../../../shared/i18n/messages.js';
import { kindName, scopeText } from '../../../shared/scopes/scope-texts.js';

/** The words of the consent page, which name the patient where the user is another person. */
export class ConsentWords {
  private readonly say = scopeText();
  private readonly patient: string;
  private readonly ofOne: 'own' | 'named' | 'chosen';

  constructor({ ownRecord, patient }: Pick<ConsentRequest, 'ownRecord' | 'patient'>) {
    this.patient = patient ? isolateName(patient.name) : '';
    this.ofOne = ownRecord ? 'own' : patient ? 'named' : 'chosen';
  }

  /** 'Your health data', 'Health data of Noah Reed'. */
  owner(reach: Reach): string {
    return textAt(`consent.owner.${this.ownerKey(reach)}`, { patient: this.patient });
  }

  title({ subject, scopes }: AccessRow, isMixed: boolean): string {
    const title = this.titleOf(subject, scopes);
    const ofMany = isMixed && subject.is !== 'everything' && 'reach' in subject && subject.reach !== 'one';
    return ofMany ? t('consent.ofMany', { kind: title }) : title;
  }

  /** Empty where the title says it all. */
  description({ subject, leaves, children, change }: AccessRow): string {
    switch (subject.is) {
      case 'kind': {
        const parts = children.filter((child) => child.subject.is === 'part');
        if (subject.partly && parts.length > 0) return t('consent.onlySome', this.partsOf(subject.type, parts));
        const isAlone = change && !children.some((child) => child.subject.is === 'change');
        return isAlone ? this.allowed(leaves) : wordsOf(subject.type);
      }
      case 'part':
        return this.partDescription(subject.scope, change);
      case 'change':
        return subject.type === '*' ? '' : this.allowed(leaves);
      case 'scope':
        return describeScope(subject.scope, this.say).description;
      default:
        return '';
    }
  }

  private titleOf(subject: RowSubject, scopes: string[]): string {
    switch (subject.is) {
      case 'everything':
        return this.wholeRecord(subject.reach);
      case 'kind':
        return describeScope(`patient/${subject.type}.rs`, this.say).displayName;
      case 'part':
        return this.partTitle(subject.scope);
      case 'rest':
        return t('consent.rest', { what: kindName(subject.type) });
      case 'change':
        return this.changeTitle(subject.type, subject.reach, subject.actions);
      case 'operation':
        return describeScope(scopes[0] ?? '', this.say).displayName;
      case 'other':
        return t('consent.other');
      case 'scope':
        return describeScope(subject.scope, this.say).displayName;
    }
  }

  private partTitle(text: string): string {
    const scope = parseScope(text);
    const condition = this.conditionOf(text);
    if (scope?.kind !== 'resource' || categoryOf(scope)) return condition;
    const kind = describeScope(`patient/${scope.type}.rs`, this.say).displayName;
    return t('consent.onlySome', { kind, conditions: condition });
  }

  private partDescription(text: string, change: boolean): string {
    const scope = parseScope(text);
    if (scope?.kind !== 'resource') return '';
    const category = categoryOf(scope);
    return category && !change ? this.say(`categories.${category.code}.noun`) : this.allowed([text]);
  }

  private changeTitle(type: string, reach: Reach, actions: string): string {
    if (type === '*') return t('consent.letChange', { what: this.wholeRecord(reach) });
    const what = kindName(type);
    if (actions === '') return t('consent.letChange', { what });
    return t('consent.letDo', { what, verbs: verbs({ actions, type }, this.say) });
  }

  private partsOf(type: string, parts: AccessRow[]) {
    const conditions = parts.map(({ subject }) => (subject.is === 'part' ? this.conditionOf(subject.scope) : ''));
    return { kind: describeScope(`patient/${type}.rs`, this.say).displayName, conditions: plainList(conditions) };
  }

  /** 'Laboratory', 'code 8867-4'. */
  private conditionOf(text: string): string {
    const scope = parseScope(text);
    if (scope?.kind !== 'resource') return text;
    if (categoryOf(scope)) return describeScope(text, this.say).displayName;
    return plainList(scope.query.map(([name, value]) => `${name} ${value}`));
  }

  /** The actions that the scopes permit; shown where no chip or part names them. */
  private allowed(leaves: string[]): string {
    const scopes = leaves.map(parseScope).filter((scope) => scope?.kind === 'resource');
    const actions = scopes.map((scope) => scope.actions).join('');
    return t('consent.allowed', { verbs: verbs({ actions, type: scopes[0]?.type ?? '' }, this.say) });
  }

  private wholeRecord(reach: Reach): string {
    return textAt(`consent.wholeRecord.${this.ownerKey(reach)}`, { patient: this.patient });
  }

  private ownerKey(reach: Reach): 'own' | 'named' | 'chosen' | 'many' | 'all' {
    return reach === 'one' ? this.ofOne : reach;
  }
}

/** The title of each row, each once: two resource types that only differ in capitals have the same words. */
export function distinctTitles(words: ConsentWords, rows: readonly AccessRow[]): ReadonlyMap<string, string> {
  const reach = new Set(rows.flatMap(({ subject }) => ('reach' in subject ? [subject.reach] : [])));
  const withBelow = (row: AccessRow): AccessRow[] => [row, ...row.children.flatMap(withBelow)];
  const titles = new Map<string, string>();
  const taken = new Set<string>();
  for (const row of rows.flatMap(withBelow)) {
    const title = words.title(row, reach.size > 1);
    const distinct = taken.has(title) ? `${title} (${row.scopes.join(' ')})` : title;
    taken.add(distinct);
    titles.set(row.key, distinct);
  }
  return titles;
}

/** The content of a kind, in other words than its title; empty for a kind that only the FHIR server knows. */
export function wordsOf(type: string): string {
  const text = scopeText()(`types.${type}.noun`);
  return text === `scopes.types.${type}.noun` || text === kindName(type) ? '' : text;
}
