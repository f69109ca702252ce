import { withKinds } from '../../../src/contract/rules/representation/level-text.js';
import type { Config } from '../../../src/platform/config/config.js';
import { RepresentationRules } from '../../../src/representation/application/representation-rules.js';
import type { RepresentedDecision } from '../../../src/representation/application/represented-access.js';
import { dayIn } from '../../../src/representation/domain/ages.js';
import { decide, refusalOf } from '../../../src/representation/domain/decision.js';
import type { Relationship as OwnRelationship } from '../../../src/representation/domain/relationship.js';
import type { ActingFor, Representation } from '../decision/world.js';

/** The relationship of the case at hand, decided as a stored one is. */
export class OneRelationship {
  used: ActingFor | undefined;

  private readonly rules: RepresentationRules;

  constructor(config: Config) {
    this.rules = new RepresentationRules(config);
  }

  get protection(): RepresentationRules['protection'] {
    return this.rules.protection;
  }

  async forRequest(): Promise<RepresentedDecision> {
    if (!this.used) return { permitted: false, cause: 'none' };
    const { relationship: own, at, zone, facts } = this.used;
    const day = dayIn(new Date(at), zone);
    const relationship = {
      ...{ id: 'relationship', accountId: 'account', tenant: undefined, patient: 'p1' },
      ...{
        basis: own.basis,
        level: textOf(own),
        status: own.status,
        reason: own.reason ?? null,
      },
      ...{ start: own.start ?? null, end: own.end ?? null, agreedSteps: [...own.agreed] },
      aboveTable: own.above ? aboveTableOf(own.above) : null,
      withoutBirthDate: own.isUndated === true,
    } as OwnRelationship;
    const early = refusalOf(relationship, day);
    if (early) return { permitted: false, cause: early };
    const basis = this.rules.basis(own.basis);
    if (!basis) return { permitted: false, cause: 'not-configured' };
    const decided = decide(relationship, {
      day,
      ages: this.rules.ages(own.basis, undefined),
      facts: {
        birthDate: facts.birthDate,
        isDeceased: facts.isDeceased === true,
        isActive: facts.isInactive !== true,
        replacedBy: facts.isReplaced ? 'other' : undefined,
      },
      survivesDeath: basis.afterDeath === 'continues',
    });
    if (!decided.permitted) return decided;
    const levels = decided.levels.map((level) => this.rules.level(own.basis, level));
    if (!levels.every((level) => level !== undefined)) return { permitted: false, cause: 'not-configured' };
    return { permitted: true, levels, basis: own.basis, relationship: relationship.id };
  }
}

/** Sections of the configuration; `representation` has names for what the model only compares. */
export function sectionsOf({ levels, bases, sensitive }: Representation): object {
  const relations = [{ id: 'one', representative: 'representative', patient: 'relative' }];
  const named = <Value extends object>(all: Readonly<Record<string, Value>>, more: object) =>
    Object.fromEntries(Object.entries(all).map(([id, value]) => [id, { label: id, ...more, ...value }]));
  const section = { levels: named(levels, {}), bases: named(bases, { relations }) };
  return { representation: section, consent: { sensitive } };
}

function textOf({ level, chosen }: { level: string; chosen?: readonly string[] }): string {
  return chosen ? withKinds(level, chosen) : level;
}

function aboveTableOf({ step, until, level, chosen }: NonNullable<ActingFor['relationship']['above']>) {
  return {
    step,
    until: until ?? null,
    ...(level !== undefined && { level: textOf({ level, ...(chosen && { chosen }) }) }),
  };
}
