import type { ProblemBody, ProblemItem, VersionConflict } from '../contract/problem.js';

/** The kinds of refusal; each determines the HTTP status and the log level, independently of the code that throws. */
export const problemKinds = {
  invalid: { status: 400, title: 'Bad Request', level: 'info' },
  unauthenticated: { status: 401, title: 'Unauthorized', level: 'info' },
  forbidden: { status: 403, title: 'Forbidden', level: 'info' },
  'not-found': { status: 404, title: 'Not Found', level: 'info' },
  conflict: { status: 409, title: 'Conflict', level: 'info' },
  'too-large': { status: 413, title: 'Content Too Large', level: 'info' },
  'unsupported-media-type': { status: 415, title: 'Unsupported Media Type', level: 'info' },
  misdirected: { status: 421, title: 'Misdirected Request', level: 'warn' },
  throttled: { status: 429, title: 'Too Many Requests', level: 'warn' },
  unavailable: { status: 503, title: 'Service Unavailable', level: 'warn' },
} as const;

export type ProblemKind = keyof typeof problemKinds;

/**
 * A refusal that the caller can understand. `message` tells the user what to do; details for the operator go into
 * `cause`, which is logged and never sent.
 */
export class Problem extends Error {
  constructor(
    readonly kind: ProblemKind,
    message: string,
    readonly options: {
      items?: ProblemItem[];
      conflict?: VersionConflict;
      retryAfterSeconds?: number;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'Problem';
  }

  get status(): number {
    return problemKinds[this.kind].status;
  }

  /** A refusal with several problems, each assigned to its field. */
  static invalid(items: ProblemItem[]): Problem {
    return new Problem('invalid', items[0]?.messages[0] ?? problemKinds.invalid.title, { items });
  }

  body(): ProblemBody {
    const { title } = problemKinds[this.kind];
    const { items, conflict } = this.options;
    return {
      errors: items ?? [{ messages: [this.message] }],
      title,
      statusMessage: title,
      message: this.message,
      ...(conflict && { conflict }),
    };
  }
}
