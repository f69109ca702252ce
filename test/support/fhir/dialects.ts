/**
 * The ways of other people's FHIR servers, a row for each. A row says only what its sources say or show; where they say
 * nothing it has the way of most servers. The ids, addresses and data are invented.
 */

/** A further page of a search, as a server names it in its link. */
interface FurtherPage {
  type: string;
  /** The query of the search, without what names the page. */
  query: string;
  /** The number of the first match on the page, from 0. */
  offset: number;
  count: number;
  /** Names the page where the server keeps it. */
  token: string;
  /** True if the search was sent by POST. */
  isPosted: boolean;
}

export interface Dialect {
  name: string;
  /** The address of a further page, below the server's base. */
  page: (page: FurtherPage) => string;
  /** Relations of the links to pages; `self` is always there. */
  relations: readonly ('first' | 'previous' | 'next' | 'last')[];
  /**
   * The address by which the server names itself in its answers; `public` is the base that apps see, `alias` another
   * name of the server.
   */
  self: 'base' | 'public' | 'alias';
  /** The form of the links to pages. */
  links: 'absolute' | 'rooted';
  /** The form of the address of a new resource. */
  location: 'versioned' | 'unversioned' | 'rooted' | 'relative' | 'content-location';
  fullUrl: 'absolute' | 'rooted' | 'none';
  /** The form of references in resources. */
  references: 'relative' | 'absolute';
  /** When a searchset has a count. */
  total: 'always' | 'asked' | 'never';
  /** Content codings of every answer, whatever the request accepts; the last one is outermost. */
  codings: readonly ('gzip' | 'br' | 'deflate')[];
  /** Content-Type of resources. */
  mediaType: string;
  /** Content-Type of the CapabilityStatement, and the media types that `/metadata` accepts. */
  metadata: { mediaType: string; accepts: 'all' | 'application/json' };
  /** True if every answer starts with a byte order mark. */
  hasMark: boolean;
  /** The body after a change without a wish of the app. */
  returns: 'representation' | 'minimal';
  /** The answer to a read of a Binary: by the `Accept` header (FHIR R4 §Binary), or always the same. */
  binary: 'by-accept' | 'resource' | 'content';
  /** The body of a refusal. */
  errors: 'outcome' | 'json' | 'html' | 'empty';
  /** False for a server that keeps one version of each resource, and sends no `ETag`. */
  versions: boolean;
  /** True if a reference to a resource that does not exist is refused. */
  checksReferences: boolean;
  /** True for a server that makes what an update finds nothing of. */
  updateCreate: boolean;
  /** True for a server that has conditional creates. */
  conditionalCreate: boolean;
  /** True for a server that has `DocumentReference/$docref`. */
  docref: boolean;
  /** Where the files of an export are. */
  exportFiles: 'base' | 'store';
  /** Milliseconds until an answer begins. */
  delayMs: number;
}

const usual: Omit<Dialect, 'name'> = {
  page: ({ type, query, offset, count }) => `/${type}?${joined(query, `_count=${count}&_offset=${offset}`)}`,
  relations: ['next'],
  self: 'base',
  links: 'absolute',
  location: 'versioned',
  fullUrl: 'absolute',
  references: 'relative',
  total: 'always',
  codings: [],
  mediaType: 'application/fhir+json; charset=utf-8',
  metadata: { mediaType: 'application/fhir+json; charset=utf-8', accepts: 'all' },
  hasMark: false,
  returns: 'representation',
  binary: 'by-accept',
  errors: 'outcome',
  versions: true,
  checksReferences: false,
  updateCreate: true,
  conditionalCreate: true,
  docref: false,
  exportFiles: 'base',
  delayMs: 0,
};

function joined(query: string, more: string): string {
  return query === '' ? more : `${query}&${more}`;
}

export const dialects: readonly Dialect[] = [
  {
    // Only `next`, with a continuation token `ct` (microsoft/fhir-server issues 1102, 1514, 2250); no `_offset`
    // (learn.microsoft.com/answers/questions/2277706); counts are asked for with `_total=accurate`, exports go to a
    // storage account (learn.microsoft.com/azure/healthcare-apis/fhir).
    ...usual,
    name: 'Azure',
    page: ({ type, query, token }) => `/${type}?${joined(query, `ct=${encodeURIComponent(`${token}==`)}`)}`,
    total: 'asked',
    exportFiles: 'store',
  },
  {
    // Links with a token `page`; export files are in S3 (docs.aws.amazon.com/healthlake/latest/devguide).
    ...usual,
    name: 'HealthLake',
    page: ({ type, query, count, token }) => `/${type}?${joined(query, `_count=${count}&page=${token}`)}`,
    mediaType: 'application/json',
    metadata: { mediaType: 'application/json', accepts: 'all' },
    binary: 'resource',
    exportFiles: 'store',
  },
  {
    // Rooted links with `page`, in five relations (docs.aidbox.app/basic-concepts/search-1/_count-and-_page).
    ...usual,
    name: 'Aidbox',
    page: ({ type, query, offset, count }) =>
      `/${type}?${joined(query, `_count=${count}&page=${Math.floor(offset / count) + 1}`)}`,
    relations: ['first', 'previous', 'next', 'last'],
    links: 'rooted',
    fullUrl: 'none',
    checksReferences: true,
  },
  {
    // A further page is `Observation?sessionID=16-…` without the conditions of the search (fhir.epic.com). Creates are
    // answered without a body. It has `$docref` (fhir.epic.com, DocumentReference.$docref).
    ...usual,
    name: 'Epic',
    docref: true,
    page: ({ type, token }) => `/${type}?sessionID=16-${token.toUpperCase()}`,
    returns: 'minimal',
    binary: 'content',
  },
  {
    // `application/json+fhir` at `/metadata`, also for `Accept: application/fhir+json` (docs.oracle.com, Millennium
    // Platform APIs, R4 overview); pages by `-pageContext` and `-pageDirection` (cerner/fhir.cerner.com); creates are
    // answered with a `Location` and without a body (smart-on-fhir/client-js pull request 86); `$docref`
    // (fhir.cerner.com, document_reference).
    ...usual,
    name: 'Oracle Health',
    docref: true,
    page: ({ type, query, token }) => `/${type}?${joined(query, `-pageContext=${token}&-pageDirection=NEXT`)}`,
    location: 'unversioned',
    total: 'never',
    mediaType: 'application/json+fhir',
    metadata: { mediaType: 'application/json+fhir', accepts: 'all' },
    returns: 'minimal',
  },
  {
    // `_skip`; after a search by POST the links lead to `_search` and have no conditions (FirelyTeam/firely-net-sdk
    // issue 479).
    ...usual,
    name: 'Firely',
    page: ({ type, query, offset, token, isPosted }) =>
      isPosted ? `/${type}/_search?_skip=${offset}&stateid=${token}` : `/${type}?${joined(query, `_skip=${offset}`)}`,
    relations: ['next', 'last'],
  },
  {
    // `_offset`, or `_cursor` (medplum.com/docs/search/paginated-search); counts only where `_total` asks for them.
    ...usual,
    name: 'Medplum',
    page: ({ type, query, count, token }) => `/${type}?${joined(query, `_count=${count}&_cursor=1-${token}`)}`,
    relations: ['first', 'next'],
    total: 'asked',
    checksReferences: true,
  },
  {
    // `_page_token`, forward only (cloud.google.com/healthcare-api, best practices of FHIR search); a request that it
    // cannot map to a method is answered with a generic error (healthcare-api reference, fhir.create); exports go to
    // Cloud Storage.
    ...usual,
    name: 'Google',
    page: ({ type, query, count, token }) => `/${type}/?${joined(query, `_count=${count}&_page_token=${token}%3D%3D`)}`,
    mediaType: 'application/fhir+json;charset=utf-8',
    errors: 'json',
    checksReferences: true,
    exportFiles: 'store',
  },
  {
    // Pages are at the base itself (`?_getpages=…&_getpagesoffset=…&_bundletype=searchset`, hapifhir.io);
    // `server_address` of the starter is often the public base (hapifhir/hapi-fhir-jpaserver-starter,
    // application.yaml).
    ...usual,
    name: 'HAPI',
    page: ({ count, offset, token }) =>
      `?_getpages=${token}&_getpagesoffset=${offset}&_count=${count}&_bundletype=searchset`,
    self: 'public',
    mediaType: 'application/fhir+json;charset=UTF-8',
    checksReferences: true,
  },
  {
    // `_page`; after a search by POST the link leads to `_search` (LinuxForHealth/FHIR issue 4235); `return=minimal` is
    // its default (LinuxForHealth/FHIR, FHIRServerUsersGuide).
    ...usual,
    name: 'LinuxForHealth',
    page: ({ type, query, offset, count, isPosted }) =>
      `/${type}${isPosted ? '/_search' : ''}?${joined(query, `_count=${count}&_page=${Math.floor(offset / count) + 1}`)}`,
    relations: ['first', 'next', 'last'],
    returns: 'minimal',
    mediaType: 'application/fhir+json',
  },
  {
    // HAPI's pages at its own address (smilecdr.com/docs).
    ...usual,
    name: 'Smile',
    page: ({ count, offset, token }) =>
      `?_getpages=${token}&_getpagesoffset=${offset}&_count=${count}&_pretty=true&_bundletype=searchset`,
    mediaType: 'application/fhir+json;charset=UTF-8',
    total: 'asked',
    checksReferences: true,
  },
  {
    // A further page is `Procedure?page=2&queryId=…` without the conditions of the search; changes are answered without
    // a body (docs.intersystems.com, FHIR server).
    ...usual,
    name: 'InterSystems',
    page: ({ type, offset, count, token }) =>
      `/${type}?page=${Math.floor(offset / count) + 1}&queryId=69354794-1929-11ec-8a16-${token}`,
    relations: ['first', 'next', 'last'],
    returns: 'minimal',
    mediaType: 'application/fhir+json; charset=UTF-8',
  },
  {
    // Pages are kept at the server's own `_snapshot` (FirelyTeam/spark, snapshot pagination); a new resource had a
    // `Content-Location` and no `Location` (FirelyTeam/spark issue 88).
    ...usual,
    name: 'Spark',
    page: ({ token, offset }) => `/_snapshot?id=${token}&start=${offset}`,
    relations: ['first', 'previous', 'next', 'last'],
    location: 'content-location',
    mediaType: 'application/fhir+json; charset=utf-8',
  },
  {
    // Rooted links with `_offset` (docs.canvasmedical.com/api/pagination); a `Location` that is relative and has no
    // version, and no body (docs.canvasmedical.com/release-notes/API-breaking-changes, canvas-medical/fhirstarter pull
    // request 138).
    ...usual,
    name: 'Canvas',
    relations: ['first', 'next', 'last'],
    links: 'rooted',
    location: 'rooted',
    fullUrl: 'none',
    returns: 'minimal',
    versions: false,
    mediaType: 'application/fhir+json',
  },
  {
    // `__t` and `__page-id` (samply/blaze, docs and issue 324).
    ...usual,
    name: 'Blaze',
    page: ({ type, query, count, token }) =>
      `/${type}?${joined(query, `_count=${count}&__t=57&__page-id=${token.toUpperCase()}`)}`,
    relations: ['first', 'next'],
    mediaType: 'application/fhir+json;charset=utf-8',
    checksReferences: true,
  },
  {
    // A request without `Accept-Encoding` admits every coding (RFC 9110 §12.5.3); some proxies compress whatever it
    // says (ohs-foundation/fhir-gateway issue 144, 18F/18f.gsa.gov issue 1796). A byte order mark may stand before JSON
    // (RFC 8259 §8.1).
    ...usual,
    name: 'one that compresses everything',
    codings: ['gzip'],
    hasMark: true,
    mediaType: 'Application/FHIR+JSON; Charset="UTF-8"; fhirVersion=4.0',
    metadata: { mediaType: 'application/json; charset=UTF-8', accepts: 'application/json' },
  },
  {
    // A reverse proxy whose server knows itself by another name, answers slowly and has error pages of its own.
    ...usual,
    name: 'one with another name',
    self: 'alias',
    references: 'absolute',
    relations: ['first', 'previous', 'next', 'last'],
    errors: 'html',
    delayMs: 2,
  },
];

/** The row with this name. Throws for any other name. */
export function dialect(name: string): Dialect {
  const found = dialects.find((one) => one.name === name);
  if (!found) throw new Error(`no dialect ${name}`);
  return found;
}
