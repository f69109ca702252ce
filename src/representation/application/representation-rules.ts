import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import type {
  LevelsForApproval,
  LevelView,
  PrivateKinds,
  SingleChoices,
  SingleKinds,
} from '../../contract/representation/levels.js';
import { mostOfLevel, partsOfLevel, withKinds } from '../../contract/rules/representation/level-text.js';
import { Config } from '../../platform/config/config.js';
import { timeZoneOf } from '../../platform/config/time-zone.js';
import { Problem } from '../../platform/errors.js';
import { type AgeStep, dayIn } from '../domain/ages.js';
import {
  addDays,
  changeBy,
  type Loss,
  nextChange,
  nextLoss,
  noticeDays,
  type OnThisDay,
  type StepDays,
} from '../domain/coming-steps.js';
import type { Decided } from '../domain/decision.js';
import { allOf, type Exclusion, type LevelRule } from '../domain/level.js';
import { isAbove } from '../domain/level-order.js';
import {
  choosableKinds,
  chosenLabel,
  isSensitiveKind,
  type KindRules,
  mayShow,
  withKindsAlone,
} from '../domain/levels/chosen-kinds.js';
import { type LevelChoices, levelChoices } from '../domain/levels/level-choices.js';
import { fieldInvalid, mostOf, type Relationship } from '../domain/relationship.js';

type Section = NonNullable<Config['representation']>;
export type Basis = Section['bases'][string];

type KindsProblem =
  `representation-kind${'-unknown' | '-not-permitted' | `s-${'needed' | 'too-many' | 'without-gateway'}`}`;

/** Levels with chosen kinds that are kept compiled. */
const keptChoices = 2_000;

const none: Exclusion = { types: [], categories: [], securityLabels: [], codes: [] };

/** The configured bases, levels and ages. */
@Injectable()
export class RepresentationRules {
  private readonly section: Config['representation'];
  /** By basis and level: the same object for each request, so that readers can keep what they derive from it. */
  private readonly levels = new Map<string, LevelRule>();
  /** Levels with chosen kinds, as `levels`. */
  private readonly chosen = new Map<string, LevelRule>();
  private readonly kindRules: KindRules;
  /** Without the gateway nothing reads kinds. */
  private readonly hasKinds: boolean;
  private readonly privateOfBases = new Map<string, Exclusion>();
  private readonly configuredZone: string | undefined;
  private readonly zones: Map<string | undefined, string>;

  /** The levels without what a basis keeps private. */
  readonly ownLevels: readonly LevelRule[];
  /** Categories and codes that some level keeps private; undefined while no account can act for a patient. */
  readonly protection: Pick<Exclusion, 'categories' | 'codes'> | undefined;

  constructor(config: Config) {
    const { representation, consent, locale, fhir, gateway } = config;
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
    const named = this.ownLevels.flatMap(({ kinds }) => (kinds === 'full' ? [] : kinds));
    this.kindRules = { sensitive: consent.sensitive, named: [...new Set(named)] };
    this.hasKinds = gateway.enabled;
    const ofKinds = { ...none, categories: consent.sensitive.categories };
    const { categories, codes } = allOf([...this.levels.values()].map(({ without }) => without).concat(ofKinds));
    this.protection = representation && { categories, codes };
  }

  /** False while no account can act for a patient here. */
  get isOn(): boolean {
    return this.section !== undefined;
  }

  get bases(): [id: string, basis: Basis][] {
    return Object.entries(this.section?.bases ?? {});
  }

  /** The content that the basis keeps private at each level. */
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
  levelChoices(
    relationship: Relationship,
    { day, ages, birthDate }: OnThisDay,
    /** Levels with chosen kinds that are among the choices. */
    further: readonly string[] = [],
  ): LevelChoices {
    const { basis, tenant, level, aboveTable } = relationship;
    const [offered] = this.bases.find(([, { askedBy }]) => askedBy.includes('invitation')) ?? [];
    const own = this.ownLevels.map(({ id }) => id);
    const all = [...new Set([...own, level, aboveTable?.level ?? level, ...further])];
    const { choices, ...found } = levelChoices(relationship, {
      ...{ day, birthDate, ages },
      levels: all.flatMap((id) => this.level(basis, id) ?? []),
      offered: offered === undefined ? undefined : this.ages(offered, tenant),
      offeredLevel: (id) => this.level(offered ?? '', id),
      most: this.mostOf(relationship),
    });
    return { ...found, choices: choices.filter((one) => own.includes(one.level) || further.includes(one.level)) };
  }

  /** What the FHIR server gives in a relationship that it made, above which no level can be given. */
  mostOf(relationship: Pick<Relationship, 'basis' | 'proposedBy' | 'decidedBy' | 'level' | 'serverLevel'>) {
    const most = mostOf(relationship);
    return most === undefined ? undefined : (this.level(relationship.basis, most) ?? goneLevel(most));
  }

  /** Throws `invalid` at the field for a level above that of the FHIR server. */
  assertGivenByServer(relationship: Relationship, level: string, field: 'level' | 'kinds'): void {
    const [most, rule] = [this.mostOf(relationship), this.level(relationship.basis, level)];
    if (!most || !rule || !isAbove(rule, most)) return;
    const text = message('representation-level-above-server', { level: most.label });
    throw Problem.invalid([{ field, messages: [text] }]);
  }

  /** The kinds that the patient may give one by one on this day; null if there is none. */
  singleChoices(relationship: Relationship, today: OnThisDay): SingleChoices | null {
    const single = this.singleKinds(relationship.basis);
    if (!single) return null;
    const textOf = (kind: string) => withKinds(single.level, [kind]);
    const { choices } = this.levelChoices(
      relationship,
      today,
      single.kinds.map(({ kind }) => textOf(kind)),
    );
    const kinds = single.kinds.flatMap((one) => {
      const choice = choices.find(({ level }) => level === textOf(one.kind));
      return choice ? [{ ...one, isMore: choice.isMore }] : [];
    });
    return kinds.length > 0 ? { level: single.level, kinds } : null;
  }

  /**
   * The level with what the basis keeps private, and with the chosen kinds alone if it names some; undefined if basis
   * or level is not configured.
   */
  level(basis: string, level: string): LevelRule | undefined {
    const key = `${basis} ${level}`;
    return this.levels.get(key) ?? this.chosen.get(key) ?? this.withChosenKinds(key, basis, level);
  }

  /** As {@link level}. Throws `invalid` at `level` for one that cannot be given, whole or with kinds behind its id. */
  givenLevel(basis: string, text: string): LevelRule {
    const { level, kinds } = partsOfLevel(text);
    const rule = this.levels.get(`${basis} ${level}`);
    if (!rule) throw fieldInvalid('level', 'representation-level-unknown');
    const problem = kinds && this.kindsProblem(basis, { level, kinds, limits: [] });
    if (problem) throw fieldInvalid('level', problem);
    return this.level(basis, text) ?? rule;
  }

  /** The kinds of a level that can be chosen one by one while these limits permit something of them. */
  kindsOf(basis: string, level: string, limits: readonly LevelRule[] = []): string[] {
    const rule = this.hasKinds ? this.levels.get(`${basis} ${level}`) : undefined;
    const kinds = rule ? choosableKinds(rule, this.kindRules) : [];
    return kinds.filter((kind) => limits.every((limit) => mayShow(limit, kind)));
  }

  /** The kinds of the level of a basis that permits most; null where there is nothing to choose. */
  singleKinds(basis: string, limits: readonly LevelRule[] = []): SingleKinds | null {
    const levels = this.ownLevels.flatMap(({ id }) => this.level(basis, id) ?? []);
    const widest = levels.find((one) => !levels.some((other) => isAbove(other, one))) ?? levels[0];
    const kinds = widest ? this.kindsOf(basis, widest.id, limits) : [];
    if (!widest || kinds.length === 0) return null;
    const { sensitive } = this.kindRules;
    return { level: widest.id, kinds: kinds.map((kind) => ({ kind, isSensitive: isSensitiveKind(kind, sensitive) })) };
  }

  /** The reason why these kinds cannot be chosen; undefined if they can. */
  kindsProblem(
    basis: string,
    { level, kinds, limits }: { level: string; kinds: readonly string[]; limits: readonly LevelRule[] },
  ): KindsProblem | undefined {
    if (!this.hasKinds) return 'representation-kinds-without-gateway';
    if (kinds.length === 0) return 'representation-kinds-needed';
    if (withKinds(level, kinds).length > mostOfLevel) return 'representation-kinds-too-many';
    const everything = { id: '', label: '', kinds: 'full', without: none, change: [] } as const;
    const known = [...choosableKinds(everything, this.kindRules), ...this.kindRules.named];
    if (!kinds.every((kind) => known.includes(kind))) return 'representation-kind-unknown';
    const permitted = this.kindsOf(basis, level, limits);
    return kinds.every((kind) => permitted.includes(kind)) ? undefined : 'representation-kind-not-permitted';
  }

  private withChosenKinds(key: string, basis: string, text: string): LevelRule | undefined {
    const { level, kinds } = partsOfLevel(text);
    const rule = this.levels.get(`${basis} ${level}`);
    if (!rule || !kinds || !this.hasKinds) return undefined;
    const made = { ...withKindsAlone(rule, kinds, this.kindRules), id: text };
    const [oldest] = this.chosen.keys();
    if (oldest !== undefined && this.chosen.size >= keptChoices) this.chosen.delete(oldest);
    this.chosen.set(key, made);
    return made;
  }

  /**
   * The content of a level, in words for users; empty for a level that is not configured any more. Of chosen kinds
   * those that the limits permit.
   */
  levelView(basis: string, level: string, limits: readonly string[] = []): LevelView {
    const rule = this.level(basis, level) ?? goneLevel(level);
    const { chosen } = rule;
    if (!chosen) return viewOfLevel(rule);
    const rules = limits.flatMap((id) => this.level(basis, id) ?? []);
    return viewOfLevel({ ...rule, chosen: chosen.filter((kind) => rules.every((limit) => mayShow(limit, kind))) });
  }

  /** The label of a level, and the kinds that were chosen of it, also of one that is not configured any more. */
  nameOfLevel(basis: string, text: string): { level: string; kinds?: string[] } {
    const { kinds } = partsOfLevel(text);
    return { level: (this.level(basis, text) ?? goneLevel(text)).label, ...(kinds && { kinds }) };
  }

  levelViews(basis: string): LevelView[] {
    return this.ownLevels.map(({ id }) => this.levelView(basis, id));
  }

  /** The choices of administrators within these levels of the age table. */
  levelsForApproval(basis: string, limits: readonly LevelRule[], most?: LevelRule): LevelsForApproval {
    const isGiven = (text: string) => {
      const rule = this.level(basis, text);
      return !most || !rule || !isAbove(rule, most);
    };
    const isAboveTable = (text: string) => {
      const rule = this.level(basis, text);
      return rule !== undefined && limits.some((limit) => isAbove(rule, limit));
    };
    const single = this.singleKinds(basis);
    return {
      levels: this.levelViews(basis).flatMap((one) =>
        isGiven(one.id) ? [{ ...one, isAbove: isAboveTable(one.id) }] : [],
      ),
      single: single && {
        level: single.level,
        kinds: single.kinds
          .map((one) => ({ ...one, text: withKinds(single.level, [one.kind]) }))
          .flatMap(({ text, ...one }) => (isGiven(text) ? [{ ...one, isAbove: isAboveTable(text) }] : [])),
      },
    };
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

  /** The next age that changes what the representative sees. */
  nextChange(
    relationship: Decided & Pick<Relationship, 'basis' | 'tenant'>,
    birthDate: string | undefined,
    at: Date,
  ): ReturnType<typeof nextChange> {
    const { basis, tenant } = relationship;
    const on = { day: dayIn(at, this.timeZone(tenant)), ages: this.ages(basis, tenant), birthDate };
    return nextChange(relationship, on, (id) => this.level(basis, id));
  }

  /** True if a step of the age table changes what the representative sees. */
  isFelt(relationship: Relationship, { ages, birthDate }: OnThisDay, step: StepDays): boolean {
    const levelOf = (id: string) => this.level(relationship.basis, id);
    return changeBy(relationship, { ages, birthDate }, step, levelOf) !== undefined;
  }

  /**
   * The day of the next age that changes something, if it lies in the days of which both sides are told; else null.
   * An age gives more only on the latest possible day.
   */
  soonChange(
    relationship: Decided & Pick<Relationship, 'basis' | 'tenant'>,
    birthDate: string | undefined,
    at: Date,
  ): string | null {
    const day = dayIn(at, this.timeZone(relationship.tenant));
    const next = this.nextChange(relationship, birthDate, at);
    if (!next || addDays(next.on, -noticeDays) > day) return null;
    return next.change === 'less' ? next.on : next.surelyOn;
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

/** Stands for a level that is not configured any more. */
function goneLevel(id: string): LevelRule {
  const isChosen = partsOfLevel(id).kinds !== undefined;
  const rule = { id, kinds: [], without: none, change: [] };
  return isChosen ? { ...rule, label: chosenLabel, chosen: [] } : { ...rule, label: id };
}

export function viewOfLevel({ id, label, kinds, without, chosen }: Omit<LevelRule, 'change'>): LevelView {
  return {
    ...{ id, label },
    kinds: chosen ? [...chosen] : kinds === 'full' ? null : [...kinds],
    without: viewOfExclusion(without),
    ...(chosen && { isChosen: true }),
  };
}

export function viewOfExclusion({ types, categories, securityLabels, codes }: Exclusion): PrivateKinds {
  return {
    types: [...types],
    categories: [...categories],
    securityLabels: [...securityLabels],
    codedElements: [...new Set(codes.map(({ element }) => element))],
  };
}
