import type { Mutant } from './mutant.js';
import { all, flaw, header, reads, searches, sees } from './predicates.js';

const address = (name: string, read: NonNullable<Mutant['reads']>): Mutant => ({
  name: `address: ${name}`,
  reads: read,
});
const inPath = (target: string, change: (path: string) => string) => {
  const [path = '', ...rest] = target.split('?');
  return [change(path), ...rest].join('?');
};
const path = (name: string, pattern: RegExp, text: string) =>
  address(name, (target) => inPath(target, (one) => one.replace(pattern, text)));
const query = (name: string, change: (search: string) => string) =>
  address(name, (target) => {
    const at = target.indexOf('?');
    return at < 0 ? target : `${target.slice(0, at + 1)}${change(target.slice(at + 1))}`;
  });
const byHeader = (name: string) =>
  address(`the address is taken from ${name}`, (target, headers) => {
    const given = headers[name.toLowerCase()];
    return given
      ? String(given)
          .replace(/^https?:\/\/[^/]+/, '')
          .replace(/^\/fhir\//, '')
          .replace(/^\//, '')
      : target;
  });

/** Holes by spellings of an address, and by headers of requests. */
export const mutantsOfAddresses: Mutant[] = [
  sees('address: a slash at the end lifts the limit', ({ raw }) => raw.endsWith('/')),
  path('two slashes are one after the check', /\/\/+/g, '/'),
  path('a slash at the beginning is removed after the check', /^\/+/, ''),
  address('percent signs are decoded twice', (target) =>
    inPath(target, (one) => (/%25[0-9a-f]{2}/i.test(one) ? decode(decode(one)) : one)),
  ),
  path('a parameter of a part of the path is removed after the check', /;[^/]*/g, ''),
  path('a number sign ends it after the check', /%23.*$/, ''),
  path('a zero byte ends it after the check', /%00.*$/, ''),
  path('a question mark in the path ends it after the check', /%3f.*$/i, ''),
  path('.json is removed after the check', /\.json$/, ''),
  path('spaces are removed after the check', /(?:%20|%09|\+)+$/, ''),
  path('backslashes are slashes after the check', /\\|%5c/gi, '/'),
  path('%2f is a slash after the check', /%2f/gi, '/'),
  path('%24 is a dollar after the check', /%24/g, '$'),
  path('a name of a partition is removed after the check', /^DEFAULT\//, ''),
  path('a name of a version is removed after the check', /^(?:r4|R4|v1|baseR4)\//, ''),
  path('a search by GET is carried out after the check', /\/_search$/, ''),
  path('a name of an element is removed after the check', /^(\w+\/[\w-]+)\/(?:subject|name|code)$/, '$1'),
  address('capital letters are read as small ones after the check', (target) =>
    target.replace(/^[A-Z]{2,}(?=[/?]|$)/, (type) => `${type[0]}${type.slice(1).toLowerCase()}`),
  ),
  query('names of parameters have no case after the check', (search) =>
    search.replace(
      /(^|&)(Patient|SUBJECT|Subject|PATIENT|_ID|_Id)=/g,
      (_, first, name) => `${first}${name.toLowerCase()}=`,
    ),
  ),
  query('a semicolon is an ampersand after the check', (search) => search.replaceAll(';', '&')),
  query('brackets are removed from names after the check', (search) => search.replace(/(?:\[\]|%5B%5D)=/gi, '=')),
  query('a second question mark is an ampersand after the check', (search) => search.replaceAll('?', '&')),
  query('spaces are removed from names after the check', (search) => search.replace(/(?:%20|\+)=/g, '=')),
  query('an unknown parameter is dropped with the limit', (search) =>
    search.replace(/(^|&)(?:unknown|foo|x|_unknown|nonsense|[a-z]*-unknown|not-?known|no-such-\w+)=[^&]*/g, '$1'),
  ),
  query('what is after a zero byte in a value is dropped', (search) => search.replace(/%00[^&]*/g, '')),
  query('values are decoded twice', (search) => (/%25[0-9a-f]{2}/i.test(search) ? decode(search) : search)),
  byHeader('X-Original-URL'),
  byHeader('X-Rewrite-URL'),
  byHeader('X-Forwarded-Uri'),
  flaw('address: a whole address as the target is not limited'),
  flaw('address: the base in capital letters is not limited'),
  flaw('address: the base with two slashes is not limited'),
  flaw('address: a way out of a public address'),
  flaw('address: what names metadata needs no token'),
  flaw('address: what names .well-known needs no token'),
  flaw('header: X-Method-Override'),
  flaw('header: X-HTTP-Method'),
  flaw('header: _method in the address'),
  flaw('header: OPTIONS is answered like GET'),
  flaw('header: HEAD needs no token'),
  flaw('header: another method is carried out like GET'),
  sees('header: a page for a browser is not limited', header('accept', /text\/html/)),
  sees('header: an Accept of lines of JSON is not limited', header('accept', /ndjson/)),
  sees('header: an Accept of Turtle is not limited', header('accept', /turtle/)),
  sees('header: any Accept is not limited', ({ headers }) => headers.accept === '*/*'),
  sees('header: a version of FHIR in Accept is not limited', header('accept', /fhirVersion/i)),
  sees('header: a compressed answer is not limited', header('accept-encoding', /gzip/)),
  sees('header: an asynchronous answer is not limited', header('prefer', /respond-async/)),
  sees('header: Prefer with strict handling is not limited', header('prefer', /strict/)),
  sees('header: a range is not limited', all(reads, header('range', /./))),
  sees('header: If-Modified-Since is not limited', header('if-modified-since', /./)),
  sees('header: If-None-Match with a star is not limited', header('if-none-match', /\*/)),
  sees('header: X-Forwarded-Host is not limited', header('x-forwarded-host', /./)),
  sees('header: an internal request is not limited', header('x-internal-request', /./)),
  sees('header: a tenant is not limited', header('x-tenant-id', /./)),
  sees('header: a reason for an emergency is not limited', header('x-break-the-glass', /./)),
  sees('header: a purpose of use is not limited', header('x-purpose-of-use', /./)),
  sees(
    'header: a search with Accept of XML by _format',
    all(searches, ({ query: asked }) => asked.some(([name, value]) => name === '_format' && /xml/.test(value))),
  ),
];

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
