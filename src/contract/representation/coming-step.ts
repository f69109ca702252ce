/** A kind of data, and whether some of it may be seen: by the rule, whatever the record has. */
export class ComparedKind {
  /** `Type` or `Type/category`. */
  kind: string;
  now: boolean;
  later: boolean;
}

/** What becomes of an app that the user has let in. */
export class AppAtStep {
  clientName: string;
  /** True if its access ends on that day. */
  ends: boolean;
  /** Kinds that it was granted, and gets no more. */
  lost: string[];
}

/** `GET /api/representation/{id}/coming-step`: what the next age step changes for the representative. */
export class ComingStep {
  /** Name of the patient. */
  name: string;
  /** What the patient is to the user: `child`. */
  relation: string;
  /** Age in completed years from which the step holds. */
  age: number;
  /** The earliest day on which it may be in force, `YYYY-MM-DD`. */
  on: string;
  /** True if the user acts for the patient no more from then on. */
  ends: boolean;
  /** True if nothing is seen until the patient agrees. */
  needsAgreement: boolean;
  kinds: ComparedKind[];
  apps: AppAtStep[];
}
