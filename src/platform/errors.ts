import { type FieldProblem, type Message, message } from '../contract/messages/message.js';
import type { ProblemBody, VersionConflict } from '../contract/problem.js';
import { inEnglish } from './language/translator.js';

/** The kinds of refusal; each determines the HTTP status and the log level, independently of the code that throws. */
export const problemKinds = {
  invalid: { status: 400, title: 'Bad Request', level: 'info' },
  unauthenticated: { status: 401, title: 'Unauthorized', level: 'info' },
  forbidden: { status: 403, title: 'Forbidden', level: 'info' },
  'not-found': { status: 404, title: 'Not Found', level: 'info' },
  'method-not-allowed': { status: 405, title: 'Method Not Allowed', level: 'info' },
  conflict: { status: 409, title: 'Conflict', level: 'info' },
  'too-large': { status: 413, title: 'Content Too Large', level: 'info' },
  'unsupported-media-type': { status: 415, title: 'Unsupported Media Type', level: 'info' },
  misdirected: { status: 421, title: 'Misdirected Request', level: 'warn' },
  throttled: { status: 429, title: 'Too Many Requests', level: 'warn' },
  unavailable: { status: 503, title: 'Service Unavailable', level: 'warn' },
} as const;

export type ProblemKind = keyof typeof problemKinds;

/**
 * A refusal that the caller can understand. `userMessage` tells the user what to do; details for the operator go into
 * `cause`, which is logged and never sent.
 */
export class Problem extends Error {
  constructor(
    readonly kind: ProblemKind,
    readonly userMessage: Message,
    readonly options: {
      items?: FieldProblem[];
      conflict?: VersionConflict;
      retryAfterSeconds?: number;
      cause?: unknown;
    } = {},
  ) {
    super(inEnglish(userMessage), { cause: options.cause });
    this.name = 'Problem';
  }

  get status(): number {
    return problemKinds[this.kind].status;
  }

  /** A refusal with several problems, each assigned to its field. */
  static invalid(items: FieldProblem[]): Problem {
    return new Problem('invalid', items[0]?.messages[0] ?? message('request-invalid'), { items });
  }

  /** A refusal for programmers and operators, which is not translated. */
  static technical(kind: ProblemKind, reason: string): Problem {
    return new Problem(kind, message('technical', { reason }));
  }

  body(): ProblemBody {
    const { items = [{ messages: [this.userMessage] }], conflict } = this.options;
    return { ...problemBody(problemKinds[this.kind].title, this.message, items), ...(conflict && { conflict }) };
  }
}

/** The specification's texts, each with its code. */
export function problemBody(title: string, text: string, items: FieldProblem[]): ProblemBody {
  return {
    errors: items.map(({ messages, ...place }) => ({ ...place, messages: messages.map(inEnglish) })),
    title,
    statusMessage: title,
    message: text,
    codes: items.flatMap(({ messages, ...place }) => messages.map((one) => ({ ...place, ...one }))),
  };
}
