/** One thing that is wrong, beside the field it belongs to (a dotted path into the request body) when there is one. */
export class ProblemItem {
  field?: string;
  messages: string[];
}

/** The body of every refusal under `/api` (`spec §3` Error response): all four keys, always. */
export class ProblemBody {
  errors: ProblemItem[];
  title: string;
  statusMessage: string;
  message: string;
}
