import { ServerNames } from '../../../src/fhir-server/domain/server-names.js';
import { PagingLinks } from '../../../src/gateway/application/server/paging-links.js';
import type { FhirRequest } from '../../../src/gateway/domain/fhir-request.js';
import { Refusal } from '../../../src/gateway/domain/refusal.js';
import { Secrets } from '../../../src/platform/crypto/secrets.js';

const ours = 'https://login.hospital.example/fhir';
const theirs = 'http://fhir.internal:8080/r4';
const server = new ServerNames(theirs, ['https://fhir.hospital.example/api/r4'], ours);
const now = Date.parse('2026-01-01T00:00:00Z');
const hour = 3_600_000;
const reader = { clientId: 'app', grantId: 'g1', patient: 'p1' };
const search: FhirRequest = { interaction: 'search', type: 'Observation', parameters: [['code', 'a']] };

const links = new PagingLinks(new Secrets(Buffer.alloc(32, 1)), ours);
const linkFor = (url: string, request = search) => links.linkFor(url, server, request, reader, now);
const sealed = (url: string) => (linkFor(url) ?? '').slice(ours.length);

function opened(target: string, by: Parameters<PagingLinks['requestOf']>[2] = reader, at = now, of = links): unknown {
  try {
    return of.requestOf('GET', target, by, at);
  } catch (error) {
    if (error instanceof Refusal) return error.status;
    throw error;
  }
}

describe('a link to another page', () => {
  test('is left unchanged where it asks for the same at another place', () => {
    const url = `${theirs}/Observation?code=a&_offset=10`;
    for (const form of [
      url,
      'Observation?code=a&_offset=10',
      '/r4/Observation?code=a&_offset=10',
      '?code=a&_offset=10',
    ]) {
      expect(linkFor(form)).toBe(url);
    }
  });

  test.each([
    '?_getpages=abc&_getpagesoffset=3',
    '/Observation?_after=xyz',
    '/Observation?code=a&ct=W3sidG9r',
    '/Observation?code=a&page=2',
    '/Observation?code=a&sessionID=7',
    '/Observation?code=a&-pageContext=7',
    '/Observation?code=a&stateid=7',
    '/Observation?code=b&_offset=3',
    '/Observation?code=a&_page=a7',
    '/Observation?code=a&_page_token=7',
    '/Observation?code=a&_offset=1234567890',
    '/Observation?code:text=a&_offset=3',
    '/Patient/p1/Observation?code=a&_offset=3',
    '/Patient?_offset=3',
    '/_pages/1',
    '/',
  ])('is sealed where it is the server’s own: %s', (target) => {
    const link = linkFor(theirs + target) ?? '';
    expect(link).toMatch(`${ours}/_page?_link=`);
    expect(opened(link.slice(ours.length))).toEqual({ ...search, parameters: [], page: target });
    expect(link).not.toContain('_getpages');
  });

  test('is sealed where it leads to another path of the server', () => {
    const target = sealed('http://fhir.internal:8080/paging/7');
    expect(opened(target)).toMatchObject({ page: 'http://fhir.internal:8080/paging/7' });
  });

  test('to a page of a page is sealed', () => {
    const page = { ...search, parameters: [], page: '?_getpages=1' };
    expect(linkFor(`${theirs}/Observation?_offset=3`, page)).toMatch(`${ours}/_page?_link=`);
  });

  test.each([
    'http://evil.example/r4?_getpages=1',
    'http://fhir.internal:8080@evil.example/r4?x',
    '//evil.example/r4?x',
    'http://[',
    'javascript:alert(1)',
  ])('is removed where it leads elsewhere: %s', (url) => {
    expect(linkFor(url)).toBeUndefined();
  });

  test('is refused for another client, grant, patient, user or FHIR base', () => {
    const target = sealed(`${theirs}?_getpages=1`);
    for (const other of [
      { ...reader, clientId: 'other' },
      { ...reader, grantId: 'g2' },
      { clientId: 'app', patient: 'p1' },
      { ...reader, patient: 'p2' },
      { ...reader, fhirUser: `${ours}/Practitioner/1` },
    ]) {
      expect(opened(target, other)).toBe(403);
    }
    expect(opened(target, reader, now, new PagingLinks(new Secrets(Buffer.alloc(32, 1)), `${ours}/tenant`))).toBe(403);
    expect(opened(target, reader, now, new PagingLinks(new Secrets(Buffer.alloc(32, 2)), ours))).toBe(403);
  });

  test('is refused when it was altered', () => {
    const target = sealed(`${theirs}?_getpages=1`);
    const at = target.indexOf('=') + 30;
    const flipped = target.slice(0, at) + (target[at] === 'A' ? 'B' : 'A') + target.slice(at + 1);
    for (const altered of [
      flipped,
      target.slice(0, -8),
      `${target}&_count=1`,
      '/_page',
      '/_page?_link=',
      '/_page?x=1',
    ]) {
      expect(opened(altered)).toBe(403);
    }
  });

  test('has, for who acts for a patient, a length that does not tell how far it leads', () => {
    const acting = { ...reader, representation: 'r1' };
    const link = (page: string, skip?: number) => links.pageAfter({ ...search, page, skip }, acting, now);
    const lengths = [1, 22, 333].map((at) => link(`?at=${at}`, at).length);
    expect(new Set(lengths).size).toBe(1);
    const longer = `?${'x'.repeat(1_000)}`;
    expect(link(longer).length).toBeGreaterThan(lengths[0] ?? 0);
    expect(opened(link(longer).slice(ours.length), acting)).toMatchObject({ page: longer });
  });

  test('is no longer than what it says for who acts for no one', () => {
    const said = { until: now + hour, request: { ...search, parameters: [], page: '?_getpages=1' } };
    const [, link = ''] = sealed(`${theirs}?_getpages=1`).split('=');
    const sealing = 28;
    expect(Buffer.from(link, 'base64url').length - JSON.stringify(said).length).toBe(sealing);
  });

  test('is valid for an hour', () => {
    const target = sealed(`${theirs}?_getpages=1`);
    expect(opened(target, reader, now + hour - 1)).toMatchObject({ page: '?_getpages=1' });
    expect(opened(target, reader, now + hour)).toBe(410);
  });

  test('is valid for reading only, at its own address', () => {
    expect(() => links.requestOf('POST', sealed(`${theirs}?x`), reader, now)).toThrow(Refusal);
    expect(links.requestOf('GET', '/Observation?_link=x', reader, now)).toBeUndefined();
  });
});
