import { Injectable } from '@nestjs/common';
import type { LevelView, PrivateKinds } from '../../contract/representation/levels.js';
import { Config } from '../../platform/config/config.js';
import { timeZoneOf } from '../../platform/config/time-zone.js';
import { type AgeStep, dayIn, nextStepAfter } from '../domain/ages.js';
import { addDays, type Loss, nextLoss, noticeDays, type OnThisDay } from '../domain/coming-steps.js';
import type { Decided } from '../domain/decision.js';
import { allOf, type Exclusion, type LevelRule } from '../domain/level.js';
import { type LevelChoices, levelChoices } from '../domain/level-choices.js';
import type { Relationship } from '../domain/relationship.js';

type Section = NonNullable<Config['representation']>;
export type Basis = Section['bases'][string];

const none: Exclusion = { types: [], categories: [], securityLabels: [], codes: [] };

/** The configured bases, levels and ages. */
@Injectable()
export class RepresentationRules {
  private readonly section: Config['representation'];
  /** By basis and level: the same object for each request, so that readers can keep what they derive from it. */
  private readonly levels = new Map<string, LevelRule>();
  private readonly privateOfBases = new Map<string, Exclusion>();
  private readonly configuredZone: string | undefined;
  private readonly zones: Map<string | undefined, string>;

  /** The levels without what a basis keeps private. */
  readonly ownLevels: readonly LevelRule[];
  /** Categories and codes that some level keeps private; undefined while no account can act for a patient. */
  readonly protection: Pick<Exclusion, 'categories' | 'codes'> | undefined;

  constructor(config: Config) {
    const { representation, consent, locale, fhir } = config;
    this.section = representation;
    this.configuredZone = locale.timeZone ?? fhir.tenants.find(({ timeZone }) => timeZone !== undefined)?.timeZone;
    const tenants = [undefined, ...fhir.tenants.map(({ id }) => id)];
    this.zones = new Map(tenants.map((id) => [id, timeZoneOf(config, id)]));
    const { bases = {}, levels = {} } = representation ?? {};
    const excluded = ({ sensitive, ...lists }: Basis['keptPrivate']): Exclusion =>
      allOf([lists, sensitive ? { ...none, ...consent.sensitive } : none]);
    this.ownLevels = Object.entries(levels).map(([id, { without, ...level }]) => ({
      ...level,
      id,
      without: excluded(without),
    }));
    for (const [basis, { keptPrivate }] of Object.entries(bases)) {
      const ofBasis = excluded(keptPrivate);
      this.privateOfBases.set(basis, ofBasis);
      for (const level of this.ownLevels) {
        this.levels.set(`${basis} ${level.id}`, { ...level, without: allOf([level.without, ofBasis]) });
      }
    }
    const { categories, codes } = allOf([...this.levels.values()].map(({ without }) => without));
    this.protection = representation && { categories, codes };
  }

  /** False while no account can act for a patient here. */
  get isOn(): boolean {
    return this.section !== undefined;
  }

  get bases(): [id: string, basis: Basis][] {
    return Object.entries(this.section?.bases ?? {});
  }

  /** What the basis keeps private at each level. */
  keptPrivate(basis: string): Exclusion {
    return this.privateOfBases.get(basis) ?? none;
  }

  basis(id: string): Basis | undefined {
    return Object.entries(this.section?.bases ?? {}).find(([name]) => name === id)?.[1];
  }

  /** The levels of each basis, with what it keeps private. */
  get all(): LevelRule[] {
    return [...this.levels.values()];
  }

  /** Where the days of no tenant begin, or of the only one that says so; undefined if nothing does. */
  get configuredTimeZone(): string | undefined {
    return this.configuredZone;
  }

  /** True for a basis on which patients choose who acts for them. */
  isChosenByPatient(basis: string): boolean {
    return this.basis(basis)?.askedBy.includes('invitation') ?? false;
  }

  /** The day of a relationship's tenant, with what its ages are reckoned from. */
  onDay(
    { tenant, basis, decidedAt, proposedAt, renewedAt }: Relationship,
    birthDate: string | undefined,
    now: Date,
  ): OnThisDay {
    const timeZone = this.timeZone(tenant);
    return {
      day: dayIn(now, timeZone),
      decidedOn: dayIn(decidedAt ?? proposedAt, timeZone),
      renewedOn: renewedAt && dayIn(renewedAt, timeZone),
      ages: this.ages(basis, tenant),
      birthDate,
    };
  }

  /** The levels that the patient of a relationship may give on this day, and the one that counts then. */
  levelChoices(relationship: Relationship, { day, ages, birthDate }: OnThisDay): LevelChoices {
    const { basis, tenant } = relationship;
    const [offered] = this.bases.find(([, { askedBy }]) => askedBy.includes('invitation')) ?? [];
    return levelChoices(relationship, {
      ...{ day, birthDate, ages },
      levels: this.ownLevels.flatMap(({ id }) => this.level(basis, id) ?? []),
      offered: offered === undefined ? undefined : this.ages(offered, tenant),
      offeredLevel: (id) => this.level(offered ?? '', id),
    });
  }

  /** The level with what the basis keeps private; undefined if one of them is not configured. */
  level(basis: string, level: string): LevelRule | undefined {
    return this.levels.get(`${basis} ${level}`);
  }

  /** What a level shows, for users; a level that is not configured any more shows nothing. */
  levelView(basis: string, level: string): LevelView {
    return viewOfLevel(this.level(basis, level) ?? { id: level, label: level, kinds: [], without: none });
  }

  levelViews(basis: string): LevelView[] {
    return this.ownLevels.map(({ id }) => this.levelView(basis, id));
  }

  /** The age table of a basis at a tenant; without steps there are no ages to look at. */
  ages(basis: string, tenant: string | undefined): readonly AgeStep[] {
    const own = tenant === undefined ? undefined : this.section?.tenants[tenant]?.ages[basis];
    return own ?? this.basis(basis)?.ages ?? [];
  }

  /** The next age that takes something from the representative, on the earliest day on which it may. */
  nextLoss(
    relationship: Decided & Pick<Relationship, 'basis' | 'tenant'>,
    birthDate: string | undefined,
    at: Date,
  ): Loss | undefined {
    const { basis, tenant } = relationship;
    const on = { day: dayIn(at, this.timeZone(tenant)), ages: this.ages(basis, tenant), birthDate };
    return nextLoss(relationship, on, (id) => this.level(basis, id));
  }

  /** The day of the next age step, if it lies in the days of which both sides are told; else null. */
  soonChange(
    key: { basis: string; tenant: string | undefined },
    birthDate: string | undefined,
    at: Date,
  ): string | null {
    const day = dayIn(at, this.timeZone(key.tenant));
    const next = nextStepAfter(birthDate, this.ages(key.basis, key.tenant), day);
    return next && addDays(next.on, -noticeDays) <= day ? next.on : null;
  }

  /** The words for both sides of a relationship; the neutral ones where its own are not configured any more. */
  relationWords({ basis, relation }: { basis: string; relation: string }): { representative: string; patient: string } {
    const relations = this.basis(basis)?.relations ?? [];
    return relations.find(({ id }) => id === relation) ?? relations[0] ?? { representative: '', patient: '' };
  }

  /** The age from which patients with an account see and end what representatives do. */
  ownAccountFrom(tenant: string | undefined): number {
    const own = tenant === undefined ? undefined : this.section?.tenants[tenant]?.ownAccountFrom;
    return own ?? this.section?.ownAccountFrom ?? 0;
  }

  /** Where days begin; UTC where nothing is configured, which no age table allows. */
  timeZone(tenant: string | undefined): string {
    return this.zones.get(tenant) ?? 'UTC';
  }
}

export function viewOfLevel({ id, label, kinds, without }: Omit<LevelRule, 'change'>): LevelView {
  return { id, label, kinds: kinds === 'full' ? null : [...kinds], without: viewOfExclusion(without) };
}

export function viewOfExclusion({ types, categories, securityLabels, codes }: Exclusion): PrivateKinds {
  return {
    types: [...types],
    categories: [...categories],
    securityLabels: [...securityLabels],
    codedElements: [...new Set(codes.map(({ element }) => element))],
  };
}
