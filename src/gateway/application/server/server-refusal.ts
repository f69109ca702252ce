import { currentReference } from '../../../platform/activity/launch-notes.js';
import { type IssueCode, Refusal } from '../../domain/refusal.js';

/** The codes of FHIR R4's value set IssueType. One that a server made up could say anything. */
const issueCodes: ReadonlySet<unknown> = new Set([
  ...['invalid', 'structure', 'required', 'value', 'invariant', 'security', 'login', 'unknown', 'expired', 'forbidden'],
  ...['suppressed', 'processing', 'not-supported', 'duplicate', 'multiple-matches', 'not-found', 'deleted', 'too-long'],
  ...['code-invalid', 'extension', 'too-costly', 'business-rule', 'conflict', 'transient', 'lock-error', 'no-store'],
  ...['exception', 'timeout', 'incomplete', 'throttled', 'informational'],
]);
const severities: ReadonlySet<unknown> = new Set(['fatal', 'error', 'warning', 'information']);
/**
 * Names of elements and indexes alone: a function in a FHIRPath has values in it, such as the id of another resource.
 */
const plainPath = /^([A-Z][A-Za-z]{0,63})(?:\.[a-z][A-Za-z]{0,63}(?:\[\d{1,4}\])?){0,20}$/;
const mostIssues = 20;
const passedHeaders = ['retry-after', 'Retry-After'];
const sentence = 'The FHIR server refused the request.';

/** The FHIR server refused the request, in words of its own if `words` (an OperationOutcome) is there. */
export class ServerRefusal extends Refusal {
  constructor(
    status: number,
    private readonly words: string | undefined,
    headers: Readonly<Record<string, string>> = {},
    /**
     * Present if the words may be about resources that the token does not open: the type that was sent, whose elements
     * may be named.
     */
    private readonly withheld?: { type: string },
  ) {
    super(status, codeOf(status), sentence, headers);
  }

  override get metricOutcome(): string {
    return `server-${this.status}`;
  }

  /** The words that the app does not get, for the record. */
  get withheldWords(): string | undefined {
    return this.withheld && this.words;
  }

  /**
   * The refusal for a token that is limited to one patient or to categories: a server names whatever explains its
   * refusal ('existing index belongs to Observation/17'). `type` is that of the resource, or of the Bundle, which the
   * app sent.
   */
  withoutWords(type: string): ServerRefusal {
    const headers = Object.entries(this.headers).filter(([name]) => passedHeaders.includes(name));
    return new ServerRefusal(this.status, this.words, Object.fromEntries(headers), { type });
  }

  override outcome(): string {
    if (!this.withheld) return this.words ?? super.outcome();
    const reference = currentReference();
    const hint = ` An administrator finds the reason in the record${reference === undefined ? '' : ` of ${reference}`}.`;
    const diagnostics = this.words === undefined ? sentence : sentence + hint;
    const { type } = this.withheld;
    return outcomeWithoutWords(this.words ?? '', { severity: 'error', code: this.code, diagnostics, type });
  }
}

/** The error as a limited token may have it. */
export function withoutServerWords(error: unknown, type: string): unknown {
  return error instanceof ServerRefusal ? error.withoutWords(type) : error;
}

/**
 * An OperationOutcome with our sentence, and of the server's own only what cannot name a resource: severity, code, and
 * the element of `type` that an issue is about.
 */
export function outcomeWithoutWords(
  words: string,
  { severity, code, diagnostics, type }: { severity: string; code: string; diagnostics: string; type: string },
): string {
  const found = issuesIn(words).map((issue, index) => {
    const { severity: ownSeverity, code: ownCode, expression, location } = (issue ?? {}) as Record<string, unknown>;
    const places = [expression ?? location ?? []].flat().filter((place) => isElementOf(place, type));
    return {
      severity: severities.has(ownSeverity) ? ownSeverity : severity,
      code: issueCodes.has(ownCode) ? ownCode : code,
      ...(index === 0 && { diagnostics }),
      ...(places.length > 0 && { expression: places.slice(0, mostIssues) }),
    };
  });
  const issue = found.length > 0 ? found.slice(0, mostIssues) : [{ severity, code, diagnostics }];
  return JSON.stringify({ resourceType: 'OperationOutcome', issue });
}

function issuesIn(words: string): unknown[] {
  try {
    const { issue } = JSON.parse(words) as { issue?: unknown };
    return Array.isArray(issue) ? issue : [];
  } catch {
    return [];
  }
}

function isElementOf(place: unknown, type: string): boolean {
  return typeof place === 'string' && plainPath.exec(place)?.[1] === type;
}

function codeOf(status: number): IssueCode {
  return status === 404 ? 'not-found' : 'invalid';
}
