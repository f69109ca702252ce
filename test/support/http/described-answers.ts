import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { english } from '../../../src/contract/messages/catalogue.js';

type Schema = Record<string, unknown>;

interface Media {
  schema: Schema;
}

interface OpenApi {
  paths: Record<string, Record<string, { responses: Record<string, { content?: Record<string, Media> }> }>>;
  components: { schemas: Record<string, Schema>; responses: object };
}

/** An answer of the portal to a call below `/api`. */
interface GivenAnswer {
  method: string;
  /** Without the path of the issuer. */
  path: string;
  status: number;
  type: string | undefined;
  text: string;
}

/** Refusals that come before a route: of addresses, bodies and hosts, and failures. */
const ofAnyCall = new Set([400, 413, 415, 421, 431, 500, 503]);

/** A FHIR server's own document may have more members than the contract names. */
const open = new Set(['SmartConfiguration']);

/** Compares answers of the portal with its own description. */
export class DescribedAnswers {
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true });
  private readonly templates: { pattern: RegExp; path: string }[];

  constructor(private readonly document: OpenApi) {
    addFormats.default(this.ajv);
    const copy = structuredClone(document);
    // A member that the description does not name is an error of the description here; callers have to bear it.
    for (const [name, schema] of Object.entries(copy.components.schemas)) if (!open.has(name)) close(schema);
    this.ajv.addSchema(copy, 'api');
    this.templates = Object.keys(document.paths)
      // `/client/impact` comes before `/client/{id}`.
      .sort((one, other) => one.split('{').length - other.split('{').length)
      .map((path) => ({ path, pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`) }));
  }

  static fromFile(file: string): DescribedAnswers {
    return new DescribedAnswers(JSON.parse(readFileSync(file, 'utf8')));
  }

  /** The reason why the description does not fit the answer; undefined if it does. */
  objectionTo({ method, path, status, type = '', text }: GivenAnswer): string | undefined {
    const template = this.templates.find(({ pattern }) => pattern.test(path))?.path;
    const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
    const operation = this.document.paths[template ?? '']?.[verb];
    if (!template || !operation || ofAnyCall.has(status)) return undefined;
    const answer = operation.responses[status];
    if (!answer) return `does not name the status ${status}`;
    if (status >= 400 || method === 'HEAD') return undefined;
    const [mediaType = ''] = type.split(';');
    const media = answer.content?.[mediaType];
    if (!media) return text === '' || mediaType === '' ? undefined : `does not name the media type ${mediaType}`;
    if (!/[/+]json$/.test(mediaType)) return undefined;
    const place = ['paths', template, verb, 'responses', String(status), 'content', mediaType, 'schema'];
    const pointer = place.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
    const validate = this.ajv.getSchema(`api#/${pointer}`);
    if (!validate) throw new Error(`There is no schema at ${pointer}`);
    if (validate(JSON.parse(text))) return undefined;
    return `has another schema: ${this.ajv.errorsText(validate.errors, { dataVar: 'the answer' })}`;
  }
}

function close(schema: unknown): void {
  if (typeof schema !== 'object' || schema === null) return;
  if ('properties' in schema && !('additionalProperties' in schema))
    Object.assign(schema, { additionalProperties: false });
  for (const part of Object.values(schema)) close(part);
}

let ofThisRun: DescribedAnswers | undefined;

/** Throws if the description of this run (`npm test`) does not fit the answer. */
export function expectDescribed(answer: GivenAnswer): void {
  const file = process.env.API_DESCRIPTION;
  if (!file || !answer.path.startsWith('/api/')) return;
  // The address is no route of this portal: it is outside of the issuer's path.
  if (answer.status === 404 && answer.text.includes(english['address-unknown'])) return;
  ofThisRun ??= DescribedAnswers.fromFile(file);
  const objection = ofThisRun.objectionTo(answer);
  if (objection) throw new Error(`${answer.method} ${answer.path}: the description of the API ${objection}`);
}
