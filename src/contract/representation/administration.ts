import { Transform } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsOptional, IsString, Matches, MaxLength } from 'class-validator';
import { CalendarDay, OptionalOrEmpty, RequiredText } from '../list-query.js';
import { message } from '../messages/message.js';
import { RelationshipView } from '../representation.js';
import { LevelView, PrivateKinds, SingleKinds } from './levels.js';

/** A relationship on the sheet of a user, with what an administrator can do about it. */
export class AdministeredRelationship extends RelationshipView {
  /**
   * The age table's answer to a proposal today: it permits the level, has a lower one (`less`), makes an approval
   * impossible (`refuses`), or cannot tell (`unknown`: no birth date that can be used, or the record is not read).
   */
  table: 'permits' | 'less' | 'refuses' | 'unknown';
  /** The block that a safeguarding end has left; `lift-asked`: one administrator wants to lift it. */
  block: 'none' | 'stands' | 'lift-asked';
}

/** `GET /api/admin/representation/account/{id}`: both sides of an account. */
export class AccountRelationships {
  /** The patients for whom the account acts or acted. */
  actsFor: AdministeredRelationship[];
  /** The users who act or acted for the account's own record. */
  helpers: AdministeredRelationship[];
  /** The account's own records: ids of patients, each with its tenant; none for an account that has no record. */
  records: { tenant: string | null; patient: string }[];
  /** `RelatedPerson/{id}` and `Person/{id}` that belong to the account, each with its tenant. */
  references: { tenant: string | null; reference: string }[];
}

/** `POST /api/admin/representation/account/{id}/record`: an account that only acted for others becomes a patient. */
export class LinkPatientRecordRequest {
  /** Id of the Patient, without its type. */
  @IsString()
  @Matches(/^(?!\.{1,2}$)[A-Za-z0-9.-]{1,64}$/)
  patient: string;

  /** For administrators only. */
  @RequiredText(1000)
  note: string;
}

/** `PUT /api/admin/representation/account/{id}/references`: all of the account at a tenant. */
export class NameReferencesRequest {
  /** Id of the tenant. */
  @OptionalOrEmpty()
  @IsString()
  @MaxLength(64)
  tenant?: string;

  /** `RelatedPerson/{id}` or `Person/{id}`; each belongs to one account of the tenant. */
  @IsArray()
  @ArrayMaxSize(100)
  @Matches(/^(RelatedPerson|Person)\/[A-Za-z0-9.-]{1,64}$/, { each: true })
  references: string[];
}

/** A row of an age table. */
export class AgeStepView {
  /** Age in completed years from which it holds, until the next row. */
  from: number;
  /** Id of a level, `not-possible` or `ends`; null: the level of the relationship is the only limit. */
  level: string | null;
  /** True if the patient has to agree. */
  agreement: boolean;
}

/** A basis of the configuration. */
export class BasisView {
  id: string;
  label: string;
  askedBy: ('invitation' | 'form' | 'administrator')[];
  relations: { id: string; representative: string; patient: string }[];
  /** Private at each level. */
  keptPrivate: PrivateKinds;
  /** The kinds that can be given one by one in the place of a level; null where none can. */
  single: SingleKinds | null;
  ages: AgeStepView[];
}

/** The differences at a tenant. */
export class TenantAges {
  id: string;
  timeZone: string;
  ownAccountFrom: number;
  /** Tables that replace that of the basis. */
  tables: { basis: string; ages: AgeStepView[] }[];
}

/** `GET /api/admin/representation/age-rules`: the rules as they are configured. */
export class AgeRules {
  /** Where the days of no tenant begin. */
  timeZone: string;
  ownAccountFrom: number;
  levels: LevelView[];
  bases: BasisView[];
  tenants: TenantAges[];
}

/** The query of `GET /api/admin/representation/age-rules/trial`. */
export class AgeRulesTrialQuery {
  /** Id of a basis. */
  @IsString()
  @MaxLength(64)
  basis: string;

  /** Id of a tenant. */
  @OptionalOrEmpty()
  @IsString()
  @MaxLength(64)
  tenant?: string;

  /** A FHIR date: `YYYY`, `YYYY-MM` or `YYYY-MM-DD`; left out for a record without a birth date. */
  @IsOptional()
  @Transform(({ value }: { value: unknown }) => (value === '' ? undefined : value))
  @IsString()
  @Matches(/^\d{4}(-\d{2}(-\d{2})?)?$/, { context: message('day-only') })
  birthDate?: string;

  @CalendarDay()
  on: string;
}

/** The result of the rules on a day, decided by the code that decides requests. */
export class AgeRulesTrial {
  /** Why nothing is possible; null if something is. */
  refusal: 'birth-date-missing' | 'too-young' | 'age' | null;
  /** Ids of the levels that all have to permit; none: the level of the relationship is the only limit. */
  levels: string[];
  /** True if the patient has to agree first. */
  agreement: boolean;
  /** The ages that are possible on the day; null without a birth date that can be used. */
  ages: { least: number; most: number } | null;
  /** The first day on which a further step may be in force, and the one from which it surely is. */
  next: { on: string; surelyOn: string; step: AgeStepView } | null;
}
