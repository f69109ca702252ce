import type { IncomingMessage, ServerResponse } from 'node:http';
import { startUpstream, type Upstream } from './gateway.js';

/** The forms in which servers answer a read of a Binary. */
export type BinaryForms =
  /** The content, or the resource where FHIR JSON is asked for (HAPI, Firely). */
  | 'both'
  /** FHIR JSON, whatever is asked for. */
  | 'json'
  /** FHIR JSON, and 406 for everything else (Azure). */
  | 'json or 406'
  /** The content, whatever is asked for, with the security context in a header. */
  | 'content'
  /** Both; the resource has no content in it (Medplum, HAPI with an external storage). */
  | 'apart';

export interface StoredBinary {
  id: string;
  contentType?: string;
  /** Base64, or anything else that a server may have. */
  data?: string;
  securityContext?: unknown;
  meta?: { versionId: string };
  [member: string]: unknown;
}

type Resource = { resourceType: string; id: string; [member: string]: unknown };

/** A FHIR server with documents and the resources that link them. */
export interface DocumentServer extends Upstream {
  forms: BinaryForms;
  /** The text of a Binary in FHIR JSON. */
  print: (binary: StoredBinary) => string;
  /** By id; an earlier version by `id/_history/version`. */
  binaries: Map<string, StoredBinary>;
  resources: Resource[];
  /** The number of resources on a page. */
  pageSize: number;
}

const types = ['Binary', 'DocumentReference', 'DiagnosticReport', 'Media', 'Patient', 'Observation', 'Encounter'];
const searchParam = [{ name: 'patient' }];
const metadata = {
  resourceType: 'CapabilityStatement',
  fhirVersion: '4.0.1',
  rest: [{ mode: 'server', resource: types.map((type) => ({ type, searchParam })) }],
};

export async function startDocumentServer(): Promise<DocumentServer> {
  const server = {
    forms: 'both',
    binaries: new Map<string, StoredBinary>(),
    resources: [] as Resource[],
    pageSize: 100,
    print: (binary: StoredBinary) => JSON.stringify({ resourceType: 'Binary', ...binary }),
  } as DocumentServer;
  const upstream = await startUpstream((request, response, body) => {
    if (request.method !== 'GET') return sendChanged(request, response, body);
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://server');
    const path = pathname.replace(/^\/r4\//, '');
    if (path === 'metadata') return sendJson(response, metadata);
    const [, id] = /^Binary\/(.+)$/.exec(path) ?? [];
    if (id !== undefined) return sendBinary(server, server.binaries.get(id), request, response);
    const [type = '', own] = path.split('/');
    if (own !== undefined) {
      const found = server.resources.find((one) => one.resourceType === type && one.id === own);
      return found ? sendJson(response, found) : response.writeHead(404).end();
    }
    const patient = searchParams.get('patient');
    const all = server.resources.filter(
      (one) => one.resourceType === type && JSON.stringify(one.subject ?? {}).includes(`"${patient}"`),
    );
    const from = Number(searchParams.get('_page') ?? 0);
    searchParams.set('_page', String(from + server.pageSize));
    const link =
      from + server.pageSize < all.length ? [{ relation: 'next', url: `${upstream.url}/${type}?${searchParams}` }] : [];
    const entry = all.slice(from, from + server.pageSize).map((resource) => ({ resource }));
    return sendJson(response, { resourceType: 'Bundle', type: 'searchset', link, entry });
  });
  return Object.assign(server, upstream);
}

function sendBinary(
  { forms, print }: DocumentServer,
  binary: StoredBinary | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  if (!binary) {
    response.writeHead(404).end();
    return;
  }
  const etag = binary.meta === undefined ? {} : { etag: `W/"${binary.meta.versionId}"` };
  if (etag.etag !== undefined && request.headers['if-none-match'] === etag.etag) {
    response.writeHead(304, etag).end();
    return;
  }
  const isJsonAsked = /application\/fhir\+json/.test(request.headers.accept ?? '');
  if (forms === 'json or 406' && !isJsonAsked) {
    response.writeHead(406).end();
    return;
  }
  if (forms === 'json' || forms === 'json or 406' || (isJsonAsked && forms !== 'content')) {
    const { data, ...rest } = binary;
    response.writeHead(200, { 'content-type': 'application/fhir+json', ...etag });
    response.end(print(forms === 'apart' ? rest : binary));
    return;
  }
  const context = (binary.securityContext as { reference?: string } | undefined)?.reference;
  response.writeHead(200, {
    ...(binary.contentType !== undefined && { 'content-type': binary.contentType }),
    ...(forms === 'content' && context !== undefined && { 'x-security-context': context }),
    ...etag,
  });
  response.end(Buffer.from(binary.data ?? '', 'base64'));
}

/** Nothing is changed: tests look at what was sent. */
function sendChanged({ method, url }: IncomingMessage, response: ServerResponse, body: string): void {
  if (url === '/r4' || url === '/r4/') {
    sendJson(response, { resourceType: 'Bundle', type: 'transaction-response', entry: [] });
    return;
  }
  const status = { POST: 201, DELETE: 204 }[method ?? ''] ?? 200;
  response.writeHead(status, { 'content-type': 'application/fhir+json', etag: 'W/"9"' });
  response.end(status === 204 ? undefined : body);
}

function sendJson(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/fhir+json' }).end(JSON.stringify(body));
}
