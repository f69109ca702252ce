/** A kind of data, and whether some of it may be seen: by the rule, whatever the record has. */
export class ComparedKind {
  /** `Type` or `Type/category`; of kinds that were chosen also a label (`?_security=MH`), or `contact-details`. */
  kind: string;
  now: boolean;
  /** On `on`, when the step may be in force. */
  later: boolean;
  /** On `surelyOn`: what a step gives is given then. */
  surely: boolean;
}

/** The effect of a step on an app that the user has let in. */
export class AppAtStep {
  clientName: string;
  /** True if its access ends on that day. */
  ends: boolean;
  /** Kinds that it was granted, and gets no more. */
  lost: string[];
}

/** `GET /api/representation/{id}/coming-step`: the next age step that changes something for the representative. */
export class ComingStep {
  /** Name of the patient. */
  name: string;
  /** The patient's relation to the user: `child`. */
  relation: string;
  /** Age in completed years from which the step holds. */
  age: number;
  /** The earliest day on which it may be in force, `YYYY-MM-DD`: what it takes away is private from then on. */
  on: string;
  /** The day from which it is surely in force: what it gives is seen from then on. */
  surelyOn: string;
  /** The part of the birth date that the record has; a year without 29 February has two days for who was born then. */
  bornOn: 'day' | 'month' | 'year' | '29 February';
  /** As FHIR writes dates. */
  birthDate: string | null;
  /** True if something of what is seen now is private then; else more is seen. */
  takes: boolean;
  /** True if the user acts for the patient no more from then on. */
  ends: boolean;
  /** True if nothing is seen until the patient agrees. */
  needsAgreement: boolean;
  kinds: ComparedKind[];
  apps: AppAtStep[];
}
