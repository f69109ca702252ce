import { parseScope, type ResourceScope } from '../../contract/rules/scopes/smart-scope.js';

/** The data that an operator regards as sensitive (`consent.sensitive`). */
export interface SensitiveKinds {
  types: readonly string[];
  /** `{type}/{code}`. */
  categories: readonly string[];
  /** Codes, or `{system}|{code}`. */
  securityLabels: readonly string[];
}

/** The part of the data permitted by a scope that is sensitive. */
export type Sensitivity = 'all' | 'some' | 'none';

/** Marks the scopes of the consent page that permit sensitive data. */
export class SensitiveData {
  constructor(private readonly kinds: SensitiveKinds) {}

  /** By the conditions of a scope on category and security label; other conditions do not show what they select. */
  sensitivityOf(text: string): Sensitivity {
    const scope = parseScope(text);
    if (scope?.kind !== 'resource') return 'none';
    const { types, securityLabels } = this.kinds;
    if (types.includes(scope.type)) return 'all';
    const codes = this.codesOf(scope);
    const shares = [
      ...sharesOf(scope, 'category', (value) => codes.includes(codeOf(value))),
      ...sharesOf(scope, '_security', (value) => securityLabels.some((label) => isSameCode(label, value))),
    ];
    if (shares.includes(1)) return 'all';
    if (shares.length > 0) return shares.some((share) => share > 0) ? 'some' : 'none';
    const isWide = codes.length > 0 || (scope.type === '*' && types.length > 0);
    return isWide ? 'some' : 'none';
  }

  /** The codes of the sensitive categories of the scope's type. */
  private codesOf({ type }: ResourceScope): string[] {
    return this.kinds.categories
      .map((category) => category.split('/') as [type: string, code: string])
      .filter((category) => type === '*' || category[0] === type)
      .map(([, code]) => code);
  }
}

/** The sensitive part of the alternatives of each condition; a comma separates them (`FHIR R4 §3.1.1.4.10`). */
function sharesOf({ query }: ResourceScope, name: string, isSensitive: (value: string) => boolean): number[] {
  return query
    .filter((condition) => condition[0] === name)
    .map(([, value]) => {
      const values = value.split(',');
      return values.filter(isSensitive).length / values.length;
    });
}

function codeOf(value: string): string {
  return value.slice(value.lastIndexOf('|') + 1);
}

/** A code without a system is that code of any system. */
function isSameCode(label: string, value: string): boolean {
  return label.includes('|') && value.includes('|') ? label === value : codeOf(label) === codeOf(value);
}
