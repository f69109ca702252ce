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

/** The content that a level shows: by the rule alone, whatever the record has. */
export class LevelKinds {
  /** As they are configured; null for everything but `without`. */
  kinds: string[] | null;
  without: PrivateKinds;
}

/** A level of the configuration. */
export class LevelView extends LevelKinds {
  /** With chosen kinds, these stand behind the id of their level: `full Appointment Condition`. */
  id: string;
  label: string;
  /** True for kinds that were chosen one by one; left out for a whole level. */
  isChosen?: boolean;
}

/** A kind that can be chosen by itself. */
export class SingleKind {
  /** As in `kinds` of a level. */
  kind: string;
  /** True if all of it is sensitive. What is sensitive in other kinds is private unless its kind is chosen as well. */
  isSensitive: boolean;
}

/** Kinds that a patient may choose one by one, sensitive ones last. */
export class SingleKinds {
  /** Id of the level that they are of. */
  level: string;
  kinds: SingleKind[];
}

/** A level that a patient may give to a representative. */
export class ChoosableLevel extends LevelView {
  /** True if more may be seen or changed than now, which needs a proof of the patient. */
  isMore: boolean;
}

/** A kind that a patient may give to a representative. */
export class ChoosableKind extends SingleKind {
  /** As of {@link ChoosableLevel}. */
  isMore: boolean;
}

/** Kinds that a patient may give to a representative, sensitive ones last. */
export class SingleChoices {
  /** Id of the level that they are of. */
  level: string;
  kinds: ChoosableKind[];
}

/** A level that an administrator may approve. */
export class LevelForApproval extends LevelView {
  /** True if it is above the age table, so that a second administrator has to approve. */
  isAbove: boolean;
}

/** A kind that an administrator may approve. */
export class KindForApproval extends SingleKind {
  /** As of {@link LevelForApproval}. */
  isAbove: boolean;
}

/** Kinds that an administrator may approve one by one, sensitive ones last. */
export class KindsForApproval {
  /** Id of the level that they are of. */
  level: string;
  kinds: KindForApproval[];
}

/** The choices of an administrator: a level, or single kinds; these are null where none can be chosen. */
export class LevelsForApproval {
  levels: LevelForApproval[];
  single: KindsForApproval | null;
}
