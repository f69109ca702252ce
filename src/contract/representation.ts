import { Transform } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
} from 'class-validator';
import {
  asList,
  CalendarDay,
  ExactText,
  ListQuery,
  OptionalOrEmpty,
  RequiredText,
  VisibleLine,
  WrittenText,
} from './list-query.js';
import { ChosenKinds, GivenLevel } from './representation/chosen-kinds.js';
import { ChoosableLevel, LevelView, SingleChoices } from './representation/levels.js';
import { SeenChange } from './representation/seen-change.js';
import { mostOfLevel } from './rules/representation/level-text.js';

/** States of a relationship; only `active` gives access. */
const relationshipStatuses = [
  'proposed',
  'more-needed',
  'active',
  'suspended',
  'ended',
  'declined',
  'cancelled',
  'expired',
] as const;
export type RelationshipStatus = (typeof relationshipStatuses)[number];

/** Causes of `suspended`. */
export const suspensions = ['deleted', 'merged', 'deceased', 'agreement', 'patient-ended', 'unanswered'] as const;
export type Suspension = (typeof suspensions)[number];

/** Ends that an administrator chooses. */
const administratorEnds = ['administrator', 'safeguarding', 'in-error', 'deceased', 'representative-died'] as const;
export type AdministratorEnd = (typeof administratorEnds)[number];

/** Causes of `ended`. */
export type RelationshipEnd =
  | AdministratorEnd
  | 'representative'
  | 'patient'
  | 'period'
  | 'age'
  | 'representative-gone'
  | 'server'
  | 'unanswered';

const fhirId = /^(?!\.{1,2}$)[A-Za-z0-9.-]{1,64}$/;

/** The actor of a change: an account, a client of the management API, a file, the portal itself, or the FHIR server. */
export class RelationshipActor {
  kind: 'account' | 'client' | 'file' | 'portal' | 'server';
  id: string | null;
}

/** A relationship as administrators see it; days are `YYYY-MM-DD` in the hospital's time zone. */
export class RelationshipView {
  id: string;
  /** Null when the account does not exist any more. */
  accountId: string | null;
  representativeName: string;
  /** Id of the tenant; null for the FHIR base of no tenant. */
  tenant: string | null;
  /** Id of the Patient, without its type. */
  patient: string;
  patientName: string;
  basis: string;
  /** Id of a level; of one of which single kinds were chosen these stand behind it: `full Appointment Condition`. */
  level: string;
  /** The level of the FHIR server, where patient or administrators gave another one in its place; else null. */
  serverLevel: string | null;
  relation: string;
  start: string | null;
  /** The last day that counts. */
  end: string | null;
  status: RelationshipStatus;
  reason: Suspension | RelationshipEnd | null;
  note: string | null;
  withoutBirthDate: boolean;
  /**
   * The age step whose level the relationship may exceed, and the last day of it; `level` for another level in its
   * place, else the relationship's own is the only limit.
   */
  aboveTable: { step: number; until: string | null; level?: string } | null;
  /** True if one administrator has approved, and a second one must. */
  awaitsSecond: boolean;
  proposedBy: RelationshipActor;
  proposedAt: string;
  decidedBy: RelationshipActor | null;
  decidedAt: string | null;
  endedBy: RelationshipActor | null;
  endedAt: string | null;
  /** `RelatedPerson/{id}` or `Person/{id}` of the representative. */
  relatedPerson: string | null;
  /** Time of the last change, with microseconds. */
  changedAt: string;
}

/** `GET /api/admin/representation`. */
export class RelationshipList {
  relationships: RelationshipView[];
  /** More than 1,000 are not counted. */
  totalCount: number;
}

/** The query of `GET /api/admin/representation`; newest proposals first. */
export class RelationshipListQuery extends ListQuery {
  @IsOptional()
  @Transform(({ value }: { value: unknown }) => asList(value))
  @IsArray()
  @ArrayMaxSize(relationshipStatuses.length)
  @IsIn([...relationshipStatuses], { each: true })
  status: RelationshipStatus[] = [];

  /** Id of the representative's account. */
  @ExactText(36)
  account?: string;

  /** Id of the Patient. */
  @ExactText(64)
  patient?: string;

  /** Id of the patient's tenant. */
  @ExactText(64)
  tenant?: string;
}

/** `POST /api/admin/representation`: a proposal, which a decision makes active. */
export class ProposeRelationshipRequest {
  /** Id of the representative's account; without it, `email` is needed. */
  @ExactText(36)
  account?: string;

  /** Mail address of the representative. One without an account gets one of type RelatedPerson, and an invitation. */
  @OptionalOrEmpty()
  @VisibleLine(254)
  email?: string;

  /** Name of a new account. */
  @OptionalOrEmpty()
  @VisibleLine(200)
  fullName?: string;

  /** Id of the tenant of the patient. */
  @OptionalOrEmpty()
  @IsString()
  @MaxLength(64)
  tenant?: string;

  /** Id of the Patient, without its type. */
  @IsString()
  @Matches(fhirId)
  patient: string;

  /** Id of a basis of the configuration. */
  @IsString()
  @MaxLength(64)
  basis: string;

  /** Id of a level of the configuration; with single kinds these stand behind it: `full Appointment Condition`. */
  @GivenLevel()
  level: string;

  /** Id of a relation of the basis; the neutral one by default. */
  @OptionalOrEmpty()
  @IsString()
  @MaxLength(64)
  relation?: string;

  @OptionalOrEmpty()
  @CalendarDay()
  start?: string;

  /** The last day that counts. */
  @OptionalOrEmpty()
  @CalendarDay()
  end?: string;

  @OptionalOrEmpty()
  @WrittenText(1000)
  note?: string;

  /** `RelatedPerson/{id}` or `Person/{id}`. */
  @OptionalOrEmpty()
  @IsString()
  @Matches(/^(RelatedPerson|Person)\/[A-Za-z0-9.-]{1,64}$/)
  relatedPerson?: string;
}

/** `POST /api/admin/representation/{id}/decision`. */
export class DecideRelationshipRequest extends SeenChange {
  @IsIn(['approve', 'decline', 'more-needed'])
  decision: 'approve' | 'decline' | 'more-needed';

  /** For administrators only. */
  @RequiredText(1000)
  note: string;

  /** Another level than the one proposed, written as there. */
  @OptionalOrEmpty()
  @GivenLevel()
  level?: string;

  /** True: approved although the record has no birth date that can be used. */
  @IsOptional()
  @IsBoolean()
  withoutBirthDate?: boolean;

  /**
   * True: the level counts although the age table has a lower one for the present step. It needs a second
   * administrator, and ends with the step.
   */
  @IsOptional()
  @IsBoolean()
  exceedsTable?: boolean;

  /** Last day of `exceedsTable`. */
  @OptionalOrEmpty()
  @CalendarDay()
  exceedsUntil?: string;
}

/** `POST /api/admin/representation/{id}/end`. */
export class EndRelationshipRequest {
  /** `safeguarding` acts without a mail or a trace for the representative, and blocks the pair. */
  @IsIn([...administratorEnds])
  reason: AdministratorEnd;

  /** For administrators only. */
  @RequiredText(1000)
  note: string;
}

/** `POST /api/admin/representation/{id}/confirmation`: a suspended relationship continues. */
export class ConfirmRelationshipRequest extends SeenChange {
  @RequiredText(1000)
  note: string;

  /** Id of the Patient that replaces the one of a merged record. */
  @OptionalOrEmpty()
  @IsString()
  @Matches(fhirId)
  patient?: string;

  /** With `patient`: id of the Patient that it replaces. */
  @OptionalOrEmpty()
  @IsString()
  @Matches(fhirId)
  replaced?: string;

  /**
   * Cause of the suspension, as the administrator has seen it. If it has another one by now, nothing is confirmed;
   * `patient-ended` has to be named.
   */
  @OptionalOrEmpty()
  @IsIn(suspensions)
  reason?: Suspension;
}

/** The outcome of a request to lift a block: the first administrator has asked, or another one has lifted it. */
export class LiftedBlock {
  state: 'asked' | 'lifted';
}

/** One side of `GET /api/representation`: a card of the page *Family and carers*. */
export class OwnRelationship {
  id: string;
  /** Name of the other side; the first name alone once it has ended. */
  name: string;
  /** Id of the tenant; null for the FHIR base of no tenant. */
  tenant: string | null;
  /** Id of the Patient, for the representative; null for the patient and once it has ended. */
  patient: string | null;
  /** Of the patient, as FHIR writes dates, for a representative who acts now; else null. */
  birthDate: string | null;
  /** The other side's relation to the user: `child`, `mother`. */
  relation: string;
  basis: { id: string; label: string };
  /** The level that applies now: of the relationship and the age table the one that permits less. */
  level: LevelView;
  /** The day from which it counts, `YYYY-MM-DD`; null for one that is not decided. */
  since: string | null;
  /** The last day that counts. */
  end: string | null;
  status: RelationshipStatus;
  reason: Suspension | RelationshipEnd | null;
  /**
   * The next change by age for the representative, on the earliest possible day; null for none, and where
   * the age is not known. `level`: label of the level that is less; null if it ends, or needs the patient's agreement;
   * `isChosen` as of a level.
   */
  next: { on: string; level: string | null; isChosen?: boolean; ends: boolean; needsAgreement: boolean } | null;
  /** For the representative: the day of the next age that takes or gives something, in the 30 days before it. */
  changesOn: string | null;
  /**
   * The age step that counts only with the patient's agreement: one in force (`on` is null), or one that begins within
   * 30 days.
   */
  agreement: { step: number; on: string | null; isAgreed: boolean } | null;
  /** True if the user may end it. */
  canEnd: boolean;
  /** True if the user, as the patient, may give it a later last day: in the 30 days before it. */
  canRenew: boolean;
  /** True if the user, as the patient, is asked whether it is still right: once a year for one without end. */
  isAsked: boolean;
  /** The last day of a level above the age rule (null: the whole age step); null without one. */
  aboveRule: { until: string | null } | null;
  /** The levels that the user, as the patient, may give instead; none for others. */
  levels: ChoosableLevel[];
  /** Label of the level that the FHIR server gives at most, where the patient could give more; else null. */
  atMost: string | null;
  /** The kinds that the user, as the patient, may give one by one; null for others, and for levels alone. */
  single: SingleChoices | null;
  endedAt: string | null;
  /** Time of the last change, with microseconds, for the patient; null for the representative. */
  changedAt: string | null;
}

/** `GET /api/representation`. */
export class OwnRelationships {
  /** The patients for whom the user acts. */
  lookedAfter: OwnRelationship[];
  /** The representatives of the user. */
  helpers: OwnRelationship[];
  /** `RelatedPerson/{id}` and `Person/{id}` that belong to the account; left out without any. */
  references?: string[];
}

/**
 * `PUT` and `DELETE /api/representation/{id}/agreement`: the age step for which the patient's agreement is needed. A
 * withdrawal counts, whatever was changed.
 */
export class StepAgreement extends SeenChange {
  /** Age in completed years from which the step holds. */
  @IsInt()
  @Min(0)
  @Max(150)
  step: number;
}

/** `PUT /api/representation/{id}/level`: the patient gives another level. */
export class ChangeLevelRequest extends SeenChange {
  /** Id of the level that the user has seen; the call is refused if it was changed meanwhile. */
  @IsString()
  @MaxLength(mostOfLevel)
  seen: string;

  /** Id of one of `levels` of the card, or that of `single`. */
  @IsString()
  @MaxLength(64)
  level: string;

  /** Kinds of `single`, one by one; left out for the whole level. */
  @ChosenKinds()
  kinds?: string[];

  /** For a level that is more; without it a sign-in or a passkey of the last five minutes is needed. */
  @OptionalOrEmpty()
  @IsString()
  @MaxLength(1000)
  currentPassword?: string;
}

/** `PUT /api/representation/{id}/period`: the patient renews it before its last day. */
export class RenewRelationshipRequest {
  /** The new last day; none without an end. */
  @OptionalOrEmpty()
  @CalendarDay()
  end?: string;
}

/** `POST /api/admin/representation/{id}/agreement`: the agreement of a patient who has no account. */
export class RecordAgreementRequest extends StepAgreement {
  @IsBoolean()
  isAgreed: boolean;

  /** How the patient agreed. For administrators only. */
  @RequiredText(1000)
  note: string;
}
