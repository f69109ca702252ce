import { isDeepStrictEqual } from 'node:util';
import type { DialectGateway, TokenKind } from '../dialect-gateway.js';
import { otherText, type Stored } from '../dialect-server/records.js';
import type { Dialect } from '../dialects.js';
import type { TestGateway } from '../gateway.js';
import { View } from './view.js';

/** A request that apps make, or several of which one needs the answer of another. */
export interface AppRequest {
  name: string;
  /** Sends it, and tells the answer in a line. */
  ask(app: App): Promise<string>;
  /** The line by the rules of FHIR and SMART. */
  expected(view: View, dialect: Dialect): string;
}

interface Bundle {
  total?: number;
  link?: { relation: string; url: string }[];
  entry?: {
    resource?: Stored;
    search?: { mode?: string };
    response?: { status?: string; location?: string; outcome?: unknown };
  }[];
}

const fhirJson = 'application/fhir+json';

/** A gateway in front of a stub FHIR server, with a token of each kind. */
export type AnyGateway = Pick<DialectGateway, 'dialect' | 'server' | 'fetch' | 'send'> & {
  gateway: Pick<TestGateway, 'base' | 'fetch'>;
};

/** An app with one token, which tells each answer in a line and looks for what no answer may have. */
export class App {
  readonly view: View;

  constructor(
    private readonly gateway: AnyGateway,
    readonly kind: TokenKind,
  ) {
    this.view = new View(kind);
  }

  /** The FHIR base that apps see. */
  get base(): string {
    return this.gateway.gateway.base;
  }

  get dialect(): Dialect {
    return this.gateway.dialect;
  }

  /** What the server has stored. */
  stored(): Stored[] {
    return this.gateway.server.stored();
  }

  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    return this.gateway.fetch(path.startsWith(this.base) ? path.slice(this.base.length) : path, this.kind, init);
  }

  /** Without a token. */
  fetchOpen(path: string, init: RequestInit = {}): Promise<Response> {
    return this.gateway.gateway.fetch(path, undefined, init);
  }

  withHeaders(path: string, headers: Record<string, string>): Promise<Response> {
    return this.fetch(path, { headers });
  }

  form(path: string, body: string, headers: Record<string, string> = {}): Promise<Response> {
    return this.fetch(path, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    });
  }

  /** Sends a body, as JSON unless it is a text. */
  send(method: string, path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
    return this.gateway.send(method, path, this.kind, body, headers);
  }

  async get(path: string): Promise<string> {
    return this.told(await this.fetch(path));
  }

  /** The status, and what the answer has: resources in order of their names, or the number of them. */
  async told(response: Response): Promise<string> {
    const text = await this.checkedText(response);
    const { status } = response;
    if (status >= 400) return [status, ...faultsOfRefusal(response, text)].join(' ');
    if (text === '') return String(status);
    const body = JSON.parse(text) as Bundle & Stored;
    const faults = response.headers.get('content-type')?.startsWith(fhirJson) ? [] : ['!media type'];
    if (body.resourceType !== 'Bundle') return [status, nameOf(body), ...faults].join(' ');
    const names = resourcesIn(body).map(nameOf);
    if (body.entry?.length === 0) faults.push('!empty list');
    return [status, ...names.sort(), ...faultsOfTotal(body), ...faults].join(' ');
  }

  /** The status and the `total`. */
  async count(path: string): Promise<string> {
    const response = await this.fetch(path);
    const text = await this.checkedText(response);
    if (!response.ok) return [response.status, ...faultsOfRefusal(response, text)].join(' ');
    const { total, entry } = JSON.parse(text) as Bundle;
    return `${response.status} total ${total}${entry ? ' !entries' : ''}`;
  }

  /** The line, with the address of what was made and all that is stored otherwise than before. */
  async changed(ask: () => Promise<Response>): Promise<string> {
    const before = this.stored();
    const response = await ask();
    const text = await this.checkedText(response);
    const { status } = response;
    const effects = differences(before, this.stored());
    if (status >= 400) return [status, ...faultsOfRefusal(response, text), ...effects].join(' ');
    const made = status === 201 ? [this.placeOf(response)] : [];
    return [status, ...made, ...faultsOfEntries(text), ...effects].join(' ');
  }

  /** The line of a batch or a transaction: the status of each entry, and all that is stored otherwise than before. */
  async bundled(type: string, entry: readonly object[]): Promise<string> {
    const before = this.stored();
    const response = await this.send('POST', '/', { resourceType: 'Bundle', type, entry });
    const text = await this.checkedText(response);
    const effects = differences(before, this.stored());
    if (!response.ok) return [response.status, ...faultsOfRefusal(response, text), ...effects].join(' ');
    const { entry: answers = [] } = JSON.parse(text) as Bundle;
    const statuses = answers.map(({ response: own }) => own?.status?.slice(0, 3));
    const foreign = answers.filter(({ response: own }) => !this.isOwn(own?.location)).map(() => '!location');
    return [response.status, ...statuses, ...foreign, ...effects].join(' ');
  }

  /** The names of the resources on all pages, with what is wrong about a link to another page. */
  async walk(path: string): Promise<string> {
    const found: string[] = [];
    const faults: string[] = [];
    let before: string | undefined;
    let address: string | undefined = path;
    for (let page = 0; address !== undefined && page < 12; page += 1) {
      const response = await this.fetch(address);
      const text = await this.checkedText(response);
      if (!response.ok) return [response.status, ...(page > 0 ? ['!page'] : [])].join(' ');
      const { link = [], ...bundle } = JSON.parse(text) as Bundle;
      const names = resourcesIn(bundle).map(nameOf);
      found.push(...names);
      for (const { relation, url } of link) {
        const isBack = relation === 'previous';
        if (!url.startsWith(this.base)) faults.push(`!${relation} elsewhere`);
        else if (relation !== 'next') {
          const other = await this.told(await this.fetch(url));
          // A further page may call the search itself its own address.
          const isSame = relation === 'self' && page === 0;
          const expected = isBack ? before : isSame ? ['200', ...names.sort()].join(' ') : other;
          if (!other.startsWith('200') || other.replace(/ !total.*/, '') !== expected?.replace(/ !total.*/, ''))
            faults.push(`!${relation} ${other}`);
        }
      }
      const relations = new Set<string>(link.map(({ relation }) => relation));
      if (before !== undefined && this.dialect.relations.includes('previous') && !relations.has('previous'))
        faults.push('!no previous');
      before = ['200', ...names.sort()].join(' ');
      address = link.find(({ relation }) => relation === 'next')?.url;
    }
    return ['200', ...found.sort(), ...faults].join(' ');
  }

  /** The text of an answer; throws if it names the server, or another record under a token of one patient. */
  async checkedText(response: Response): Promise<string> {
    const text = await response.text();
    const shown = decoded(text + JSON.stringify([...response.headers])).replaceAll(this.base, '');
    for (const name of [this.gateway.server.url, this.gateway.server.alias]) {
      if (shown.includes(new URL(name).host)) throw new Error(`names the server: ${shown.slice(0, 500)}`);
    }
    const isOther = shown.includes(otherText) || /"(?:reference|id)":"(?:[A-Z]\w+\/)?b(?:-|")/.test(shown);
    if (this.view.isLimited && isOther) throw new Error(`shows another record: ${shown.slice(0, 500)}`);
    if (response.headers.get('access-control-allow-origin') !== '*') throw new Error('not for browsers');
    return text;
  }

  private placeOf({ headers }: Response): string {
    const address = headers.get('location') ?? headers.get('content-location') ?? 'nowhere';
    return address.startsWith(this.base)
      ? address.slice(this.base.length + 1).replace(/\/_history\/.*/, '')
      : `!${address}`;
  }

  private isOwn(location: string | undefined): boolean {
    return location === undefined || !/^https?:/.test(location) || location.startsWith(this.base);
  }
}

/** The resources of a Bundle that are data: no remark of the server. */
function resourcesIn({ entry = [] }: Bundle): Stored[] {
  return entry.flatMap(({ resource }) => (resource && resource.resourceType !== 'OperationOutcome' ? [resource] : []));
}

function nameOf({ resourceType, id, meta }: Stored): string {
  const { tag = [] } = (meta ?? {}) as { tag?: { code?: string }[] };
  return `${resourceType}/${id}${tag.some(({ code }) => code === 'SUBSETTED') ? '*' : ''}`;
}

/** A `total` is of all matches, however they are counted. */
function faultsOfTotal({ total, entry = [], link = [] }: Bundle): string[] {
  const isWhole = !link.some(({ relation }) => relation === 'next' || relation === 'previous');
  const matches = entry.filter(({ search }) => search?.mode !== 'include' && search?.mode !== 'outcome').length;
  return total === undefined || !isWhole || total === matches ? [] : [`!total ${total}`];
}

function faultsOfRefusal(response: Response, text: string): string[] {
  if (text === '') return ['!no body'];
  const isOutcome = /^\{"resourceType":"OperationOutcome","issue":\[\{/.test(text);
  return isOutcome && response.headers.get('content-type')?.startsWith(fhirJson) ? [] : [`!words ${text.slice(0, 80)}`];
}

function faultsOfEntries(text: string): string[] {
  if (text === '') return [];
  const { issue } = JSON.parse(text) as { issue?: { severity: string }[] };
  return issue?.some(({ severity }) => severity === 'error') ? ['!error'] : [];
}

/** `+` for what is new, `~` for what is changed, `-` for what is gone. */
function differences(before: readonly Stored[], after: readonly Stored[]): string[] {
  const address = ({ resourceType, id }: Stored) => `${resourceType}/${id}`;
  const [was, is] = [before, after].map((all) => new Map(all.map((one) => [address(one), one])));
  const made = [...(is ?? [])].flatMap(([name, one]) => {
    const old = was?.get(name);
    return old === undefined ? [`+${name}`] : isDeepStrictEqual(old, one) ? [] : [`~${name}`];
  });
  const gone = [...(was?.keys() ?? [])].filter((name) => !is?.has(name)).map((name) => `-${name}`);
  return [...made, ...gone].sort();
}

/** The text as often decoded as it may be encoded. */
function decoded(text: string): string {
  let result = text;
  for (let time = 0; time < 3; time += 1) {
    result = result.replace(/%([0-7][\dA-F])/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
  }
  return result;
}
