/** One thing that is wrong, at the field it belongs to (a dotted path into the request body) when there is one. */
export class ProblemItem {
  field?: string;
  messages: string[];
}

/** A field of which something else was sent than what is stored. */
export class FieldDifference {
  field: string;
  stored: unknown;
  sent: unknown;
}

/** The reason for the refusal of a change that was made to an older version (409). */
export class VersionConflict {
  /** The version that is stored. */
  version: number;
  differences: FieldDifference[];
}

/** A message as a code with parameters, for clients that render it themselves (`src/contract/messages`). */
export class ProblemCode {
  field?: string;
  code: string;
  params?: Record<string, string | number>;
}

/** The body of every refusal under `/api` (`spec §3` Error response): all five keys, always. */
export class ProblemBody {
  errors: ProblemItem[];
  title: string;
  statusMessage: string;
  message: string;
  /** The code of each message in `errors`, in the same order. */
  codes: ProblemCode[];
  /** Set only for a change that was made to an older version. */
  conflict?: VersionConflict;
}
