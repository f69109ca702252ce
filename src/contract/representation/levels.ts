/** Kinds of data that a rule keeps private. */
export class PrivateKinds {
  types: string[];
  /** `{Type}/{code}`. */
  categories: string[];
  /** A code, or `{system}|{code}`. */
  securityLabels: string[];
  /** Elements of which some codes are private: `MedicationRequest/medication`. */
  codedElements: string[];
}

/** What a level shows: by the rule alone, whatever the record has. */
export class LevelKinds {
  /** As they are configured; null for everything but `without`. */
  kinds: string[] | null;
  without: PrivateKinds;
}

/** A level of the configuration. */
export class LevelView extends LevelKinds {
  id: string;
  label: string;
}

/** A level that a patient may give to a representative. */
export class ChoosableLevel extends LevelView {
  /** True if more may be seen or changed than now, which needs a proof of the patient. */
  isMore: boolean;
}

/** A level that an administrator may approve. */
export class LevelForApproval extends LevelView {
  /** True if it is above the age table, so that a second administrator has to approve. */
  isAbove: boolean;
}
