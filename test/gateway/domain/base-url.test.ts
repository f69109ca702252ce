import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { BaseUrl } from '../../../src/gateway/domain/base-url.js';

const theirs = 'http://fhir.internal:8080/r4';
const ours = 'https://login.hospital.example/fhir';
const toOurs = new BaseUrl(theirs, ours);

describe('replacing a FHIR base in JSON text', () => {
  test.each([
    ['a full URL', `{"fullUrl":"${theirs}/Patient/1"}`, `{"fullUrl":"${ours}/Patient/1"}`],
    ['the base alone', `{"url":"${theirs}"}`, `{"url":"${ours}"}`],
    ['a link', `{"url":"${theirs}?_getpages=1"}`, `{"url":"${ours}?_getpages=1"}`],
    ['escaped slashes', `{"url":"${theirs.replaceAll('/', '\\/')}\\/Patient\\/1"}`, `{"url":"${ours}\\/Patient\\/1"}`],
    ['a narrative', `<a href=\\"${theirs}/Patient/1\\">`, `<a href=\\"${ours}/Patient/1\\">`],
    ['another base with the same beginning', `{"url":"${theirs}b/Patient/1"}`, `{"url":"${theirs}b/Patient/1"}`],
    ['another port', '{"url":"http://fhir.internal:80801/r4/x"}', '{"url":"http://fhir.internal:80801/r4/x"}'],
    ['a dot that is none', '{"url":"http://fhirXinternal:8080/r4/x"}', '{"url":"http://fhirXinternal:8080/r4/x"}'],
  ])('%s', (_what, from, to) => {
    expect(toOurs.text(from)).toBe(to);
  });

  test('takes a base with dollar signs literally', () => {
    const base = "https://hospital.example/$&/$$/$1/$'";
    expect(new BaseUrl(theirs, base).text(`{"fullUrl":"${theirs}/Patient/1"}`)).toBe(`{"fullUrl":"${base}/Patient/1"}`);
  });

  test('holds back no more of a stream than a base with escaped slashes could begin in', () => {
    const stream = toOurs.stream();
    stream.write('x'.repeat(200));
    expect(String(stream.read())).toHaveLength(200 - (theirs.replaceAll('/', '\\/').length + 1));
  });

  test('has the same result for a stream in any chunks', async () => {
    const piece = fc.constantFrom(
      theirs,
      `${theirs}/Patient/ü`,
      theirs.replaceAll('/', '\\/'),
      'http://',
      '"',
      'b',
      '😀',
      '/r4',
      ours,
    );
    const document = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
    await fc.assert(
      fc.asyncProperty(document, fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), async (json, sizes) => {
        expect(await text(Readable.from(chunks(Buffer.from(json), sizes)).pipe(toOurs.stream()))).toBe(
          toOurs.text(json),
        );
      }),
      { numRuns: 500 },
    );
  });
});

function* chunks(bytes: Buffer, sizes: number[]): Generator<Buffer> {
  for (let from = 0, turn = 0; from < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    yield bytes.subarray(from, from + size);
    from += size;
  }
}
