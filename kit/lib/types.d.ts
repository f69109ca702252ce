/** JSON as it was received. */
export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type JsonObject = { [name: string]: Json };

/** A FHIR resource, as far as the kit looks at it. */
export type Resource = JsonObject & { resourceType: string; id?: string };

/** A request: `target` is the text after the base URL, `Patient/1` or `?_type=Patient`, and is sent as it is. */
export interface Ask {
  method: string;
  target: string;
  /** Names and values; a name may come twice. */
  headers: [name: string, value: string][];
  body?: string;
  /** True if the target is a whole address, as of a link to a further page. */
  isAbsolute?: boolean;
  /** The text in the request line in place of the path and the target. */
  line?: string;
  /** The text that is sent in place of the token; none for the empty text. */
  authorization?: string;
}

export interface Answer {
  status: number;
  /** By lower-case name; several values are joined. */
  headers: Record<string, string>;
  text: string;
  /** The parsed body, if it is JSON. */
  json: Json | undefined;
}

/** A token with what is known about it. */
export interface Actor {
  name: string;
  token: string;
  /** The id of the patient whose data it may see; undefined for tokens without such a limit. */
  patient: string | undefined;
  /** Undefined if it cannot be known. */
  scopes: Scope[] | undefined;
  scopeText: string | undefined;
  fhirUser: string | undefined;
  /** The audience that the token names. */
  audience: string | undefined;
  /** Tokens that came with the token and must not open a FHIR server: its ID token and refresh token. */
  companions: readonly string[];
  /** Tokens of the same patient that have ended or are not for this server. */
  refused: readonly string[];
}

/** A SMART scope for resources; v1 actions are written as those of v2. */
export interface Scope {
  context: 'patient' | 'user' | 'system';
  /** A resource type, or `*`. */
  type: string;
  /** Some of c, r, u, d, s. */
  actions: string;
  /** The conditions after the question mark. */
  query: [name: string, value: string][];
}

/** The CapabilityStatement's entry for a type. */
export interface ServedType {
  parameters: Set<string>;
  includes: string[];
  revIncludes: string[];
  interactions: Set<string>;
  operations: Set<string>;
}

export interface Server {
  software: string;
  fhirVersion: string;
  types: Map<string, ServedType>;
  interactions: Set<string>;
  operations: Set<string>;
}

/** The data of one patient, by that patient's own token. */
export interface PatientRecord {
  patient: string;
  /** By `Type/id`. */
  resources: Map<string, Resource>;
  /** `Type/id` of what no record has, such as a Practitioner, as far as this record refers to it. */
  shared: Set<string>;
  /** Texts that are in this record only: names, numbers, addresses. */
  markers: string[];
  /** The addresses of further pages of the record's own searches. */
  pages: string[];
  /** By `Binary/id`: what it holds. */
  binaries: Map<string, string>;
}

/** The facts that the kit has learned before it tries anything. */
export interface Facts {
  base: string;
  server: Server;
  a: PatientRecord;
  b: PatientRecord;
}

/** Values for the places of a way: `{id}` is the value of `id`. */
export type Bindings = Record<string, string>;

/** What requests are shown with in reports, for the token of this name. */
export type Display = (bindings: Bindings, name: string) => Bindings;

/** How bad a finding is: `high` shows or changes data, `medium` tells of values, `low` tells that something exists. */
export type Severity = 'high' | 'medium' | 'low';

/** A request with places, as the tables have it. */
export interface AskTemplate {
  method?: string;
  target: string;
  line?: string;
  headers?: Record<string, string | string[]>;
  body?: string;
  authorization?: string;
}

/** One of the known ways: a row of the tables. */
export interface Way {
  /** Unique, and stable over versions. */
  id: string;
  title: string;
  why: string;
  section: string;
  severity?: Severity;
  /** The values to try: a name of `subjects.js`; once if not given. */
  each?: string;
  /** At most so many of these. */
  most?: number;
  /** Only types with this interaction, operation or parameter. */
  ask: AskTemplate | AskTemplate[];
  /** The names of places, and what stands there in turn. */
  over?: Record<string, readonly string[]>;
  /** Compares with the same request about something that does not exist. */
  tells?: boolean;
  /** How the answer is looked at, if not for resources that the token may not see alone (`looks.js`). */
  look?: 'resources' | 'graph' | 'own graph' | 'count' | 'pages' | 'binaries' | 'accepted' | 'accepted entry';
  /** Sent with the token of the other patient before. */
  first?: AskTemplate;
  /** A token of a certain kind, in words (`needs.js`). */
  needs?: string;
  /** Of tokens with less rights, too. */
  core?: boolean;
  /** The published hole that it tries. */
  published?: string;
}

/** The content of an answer, in numbers. */
export interface Evidence {
  status: number;
  /** Resources that the token may not see, by type. */
  resources?: Record<string, number>;
  /** References in the token's own resources to another patient's. */
  references?: number;
  /** Texts that only the other patient's record has. */
  markers?: number;
  /** A total that is higher than the matches that were shown. */
  total?: { total: number; shown: number };
  /** How it differs from the answer about something that does not exist. */
  differences?: string[];
  /** Any other sign. */
  sign?: string;
}

export interface Finding {
  way: Way;
  family: string;
  actor: string;
  variant: string;
  severity: Severity;
  asks: Ask[];
  evidence: Evidence;
}

export interface WayResult {
  way: Way;
  family: string;
  actor: string;
  state: 'found' | 'nothing found' | 'could not be tried';
  /** Why it could not be tried, or could not be tried to the end. */
  reason?: string;
  tried: number;
  /** How many variants there are; fewer are tried if the time is short. */
  variants: number;
  /** Requests that were answered with an error of the server or not at all. */
  unclear: number;
  statuses: Record<string, number>;
  findings: Finding[];
}

export interface Report {
  tool: string;
  base: string;
  server: { software: string; fhirVersion: string; types: number };
  startedAt: string;
  seconds: number;
  requests: number;
  /** Why the run ended early. */
  stopped?: string;
  isWriting: boolean;
  actors: { name: string; scope: string | undefined; resources?: number }[];
  results: WayResult[];
  /** Resources that the kit made and could not remove. */
  left: string[];
}
