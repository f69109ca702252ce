import { codingsOf, hasCategory, hasLabel, isOneOf } from '../../contract/rules/resources/codes.js';
import { member } from '../../contract/rules/resources/elements.js';
import { isRecordless } from '../../contract/rules/resources/recordless-types.js';
import { attachmentsIn } from './attachments.js';
import type { Exclusion, LevelRule } from './level.js';

/** Types whose narrative carries everything: only a level that names the type permits them. */
const documentTypes: ReadonlySet<string> = new Set([
  ...['Binary', 'Bundle', 'ClinicalImpression', 'Communication', 'CommunicationRequest', 'Composition'],
  ...['DocumentManifest', 'DocumentReference', 'List', 'Media', 'QuestionnaireResponse'],
]);

/** Types that each level permits as far as other rules do: a part of the patient, and the representative's own. */
const atEachLevel: ReadonlySet<string> = new Set(['Patient', 'RelatedPerson', 'Person']);

/** Resources of a type, of all categories or of these, or all that have one of the labels. */
interface Kind {
  type?: string;
  /** `code` or `system|code`, separated by commas. */
  category?: string;
  label?: string;
}

/** A {@link LevelRule} as resources are compared with it. */
export class CompiledLevel {
  readonly isFull: boolean;
  readonly showsContactDetails: boolean;
  readonly kinds: readonly Kind[];
  private readonly changed: readonly Kind[] | 'full';
  /** `Type.element` of the attachments that are named. */
  readonly attachments: ReadonlySet<string>;
  readonly without: Exclusion;

  private constructor({ kinds, change, without }: LevelRule) {
    const named = kinds === 'full' ? [] : kinds;
    this.isFull = kinds === 'full';
    this.showsContactDetails = this.isFull || named.includes(contactDetails);
    this.kinds = kindsIn(named);
    this.attachments = new Set(named.filter((one) => attachment.test(one)));
    this.changed = change === 'full' ? 'full' : kindsIn(change);
    this.without = without;
  }

  /** The same rule is compiled once. */
  static from(rule: LevelRule): CompiledLevel {
    const known = compiled.get(rule);
    if (known) return known;
    const level = new CompiledLevel(rule);
    compiled.set(rule, level);
    return level;
  }

  /** The kinds that may be changed; undefined for all. */
  get changes(): readonly Kind[] | undefined {
    return this.changed === 'full' ? undefined : this.changed;
  }

  /** True if some resource of the type may be permitted. */
  permitsType(type: string): boolean {
    if (isRecordless(type)) return true;
    if (this.without.types.includes(type)) return false;
    return this.isFull || atEachLevel.has(type) || this.kindsFor(type, this.kinds).length > 0;
  }

  /** True if some resource of the type may be changed. */
  permitsChangeOf(type: string): boolean {
    return this.permitsType(type) && (this.changes === undefined || this.kindsFor(type, this.changes).length > 0);
  }

  /** True if some resource of a type that is permitted may have this category: `code` or `system|code`. */
  permitsCategory(type: string, category: string): boolean {
    if (isRecordless(type)) return true;
    const code = category.slice(category.lastIndexOf('|') + 1);
    if (this.without.categories.includes(`${type}/${code}`)) return false;
    const kinds = this.kindsFor(type, this.kinds);
    return this.isFull || atEachLevel.has(type) || kinds.some((kind) => overlaps(kind.category, category));
  }

  /** Decides without what the resource contains. */
  permits(resource: unknown): boolean {
    const type = member(resource, 'resourceType');
    if (typeof type !== 'string') return false;
    if (isRecordless(type)) return true;
    if (this.excludes(resource)) return false;
    if (this.isFull || atEachLevel.has(type)) return true;
    if (!this.kindsFor(type, this.kinds).some((kind) => isOfKind(resource, kind))) return false;
    // A level that names a kind of documents means their content.
    if (documentTypes.has(type)) return true;
    return attachmentsIn(resource, type).every((element) => this.attachments.has(`${type}.${element}`));
  }

  /** True if the resource may be changed, as far as its kind tells. */
  permitsChange(resource: unknown): boolean {
    const { changes } = this;
    const type = String(member(resource, 'resourceType'));
    return changes === undefined || this.kindsFor(type, changes).some((kind) => isOfKind(resource, kind));
  }

  /** True if the level keeps the resource private although its kind may be permitted. */
  excludes(resource: unknown): boolean {
    const { types, categories, securityLabels, codes } = this.without;
    const type = String(member(resource, 'resourceType'));
    return (
      types.includes(type) ||
      securityLabels.some((label) => hasLabel(resource, label)) ||
      categories.some((one) => isCategoryOf(one, type) && hasCategory(resource, one.slice(type.length + 1))) ||
      codes.some(({ element, codes }) => {
        const [own, name = ''] = element.split('/');
        const codings = own === type ? codingsOf(resource, name) : [];
        return codes.some((code) => isOneOf(codings, code));
      })
    );
  }

  private kindsFor(type: string, kinds: readonly Kind[]): readonly Kind[] {
    return kinds.filter((kind) => (kind.type === undefined ? !documentTypes.has(type) : kind.type === type));
  }
}

const compiled = new WeakMap<LevelRule, CompiledLevel>();
const contactDetails = 'contact-details';
const attachment = /^[A-Za-z]+\.[A-Za-z]+$/;
const ofLabels = '?_security=';
const ofCategories = '?category=';

function kindsIn(texts: readonly string[]): Kind[] {
  return texts.flatMap((text): Kind[] => {
    if (text === contactDetails || attachment.test(text)) return [];
    if (text.startsWith(ofLabels)) return [{ label: text.slice(ofLabels.length) }];
    const [type = '', category] = text.split(ofCategories);
    return [category === undefined ? { type } : { type, category }];
  });
}

function isOfKind(resource: unknown, { category, label }: Kind): boolean {
  return (
    (category === undefined || hasCategory(resource, category)) && (label === undefined || hasLabel(resource, label))
  );
}

function isCategoryOf(excluded: string, type: string): boolean {
  return excluded.startsWith(`${type}/`);
}

/** True if a resource may have one of the categories of a kind and the one that is asked for. */
function overlaps(categories: string | undefined, asked: string): boolean {
  if (categories === undefined) return true;
  const [system, code] = partsOf(asked);
  return categories.split(',').some((one) => {
    const [ownSystem, ownCode] = partsOf(one);
    return ownCode === code && (system === undefined || ownSystem === undefined || system === ownSystem);
  });
}

function partsOf(token: string): [system: string | undefined, code: string] {
  const bar = token.lastIndexOf('|');
  return bar < 0 ? [undefined, token] : [token.slice(0, bar), token.slice(bar + 1)];
}
