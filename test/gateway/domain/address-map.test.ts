import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { AddressMap } from '../../../src/gateway/domain/address-map.js';
import { piecesOf } from '../../support/fhir/pieces.js';
import { runs } from '../../support/runs.js';

const theirs = 'http://fhir.internal:8080/r4';
const proxy = 'https://fhir.hospital.example/api/r4';
const ours = 'https://login.hospital.example/fhir';
const toApps = new AddressMap([theirs, proxy], ours, true);
const toServer = new AddressMap([ours], theirs);
const encoded = (address: string, times = 1) => {
  let result = address;
  for (let time = 0; time < times; time += 1) result = encodeURIComponent(result);
  return result;
};
const lower = (address: string) => address.replace(/%[\dA-F]{2}/g, (code) => code.toLowerCase());

describe('an address of the FHIR server in JSON', () => {
  test.each([
    ['a full URL', `{"fullUrl":"${theirs}/Patient/1"}`, `{"fullUrl":"${ours}/Patient/1"}`],
    ['the base alone', `{"url":"${theirs}"}`, `{"url":"${ours}"}`],
    ['the base with a slash', `{"url":"${theirs}/"}`, `{"url":"${ours}/"}`],
    ['a link', `{"url":"${theirs}?_getpages=1"}`, `{"url":"${ours}?_getpages=1"}`],
    ['another name', `{"url":"${proxy}/Patient/1"}`, `{"url":"${ours}/Patient/1"}`],
    ['escaped slashes', `{"url":"${theirs.replaceAll('/', '\\/')}\\/Patient\\/1"}`, `{"url":"${ours}\\/Patient\\/1"}`],
    ['JSON in JSON', '"http:\\\\\\/\\\\\\/fhir.internal:8080\\\\\\/r4\\\\\\/Patient"', `"${ours}\\\\\\/Patient"`],
    ['characters as escapes', '"\\u0068ttp:\\u002f\\u002Ffhir.internal:8080\\u002fr4/x"', `"${ours}/x"`],
    ['a narrative', `<a href=\\"${theirs}/Patient/1\\">`, `<a href=\\"${ours}/Patient/1\\">`],
    ['characters of XML', '<a>http:&#x2F;&#47;fhir.internal&#58;8080&sol;r4/x</a>', `<a>${ours}/x</a>`],
    ['the end of a sentence', `"See ${theirs}."`, `"See ${ours}."`],
    ['an ellipsis', `"See ${theirs}... and"`, `"See ${ours}... and"`],
    ['upper case', '"HTTP://FHIR.Internal:8080/r4/Patient/1"', `"${ours}/Patient/1"`],
    ['the default port', '"https://fhir.hospital.example:443/api/r4/x"', `"${ours}/x"`],
    ['without TLS', '"http://fhir.hospital.example/api/r4/x"', `"${ours}/x"`],
    ['with TLS', '"https://fhir.internal:8080/r4/x"', `"${ours}/x"`],
    ['a user', '"http://portal:se%20cret@fhir.internal:8080/r4/x"', `"${ours}/x"`],
    ['a host with a full stop', '"http://fhir.internal.:8080/r4/x"', `"${ours}/x"`],
    ['no scheme', '"//fhir.internal:8080/r4/x"', '"//login.hospital.example/fhir/x"'],
    [
      'a part of a query',
      `"x?subject=${encoded(theirs)}%2FPatient%2F1&y"`,
      `"x?subject=${encoded(ours)}%2FPatient%2F1&y"`,
    ],
    ['a list', `"x?s=${encoded(theirs)}%2C${encoded(proxy)}"`, `"x?s=${encoded(ours)}%2C${encoded(ours)}"`],
    ['small digits', `"x?s=${lower(encoded(theirs))}%2fPatient"`, `"x?s=${lower(encoded(ours))}%2fPatient"`],
    ['twice', `"x?s=${encoded(theirs, 2)}%252FPatient"`, `"x?s=${encoded(ours, 2)}%252FPatient"`],
    ['in part', '"x?s=http:%2F%2Ffhir.internal:8080%2Fr4%2FPatient"', `"x?s=${encoded(ours)}%2FPatient"`],
    ['its host as well', '"x?s=http%3A%2F%2Ffhir%2E%69%6E%74%65%72%6E%61%6C%3A8080%2Fr4"', `"x?s=${encoded(ours)}"`],
    ['its path as well', '"x?s=http%3A%2F%2Ffhir.internal%3A8080%2F%72%34"', `"x?s=${encoded(ours)}"`],
    ['within a longer one', `"https://app.example/?x=${theirs}/y"`, `"https://app.example/?x=${ours}/y"`],
  ])('becomes ours: %s', (_what, from, to) => {
    expect(toApps.inJson(from)).toBe(to);
  });

  test.each([
    ['another path', '{"url":"http://fhir.internal:8080/files/x.pdf?a=1&b=2"}', '{"url":"\\u2026"}'],
    ['another version', `{"url":"${theirs}b/Patient/1"}`, '{"url":"\\u2026"}'],
    ['a path in capitals', '"http://fhir.internal:8080/R4/Patient/1"', '"\\u2026"'],
    ['the origin', '"at http://fhir.internal:8080."', '"at \\u2026."'],
    ['the host with its port', '"connect fhir.internal:8080/r4 failed"', '"connect \\u2026 failed"'],
    ['escaped slashes', '"http:\\/\\/fhir.internal:8080\\/files\\/x\\u0026y"', '"\\u2026"'],
    ['another scheme', '"ws://fhir.internal:8080/r4"', '"ws:\\u2026"'],
    ['a narrative', '<a href=\\"http://fhir.internal:8080/x?a&amp;b\\">', '<a href=\\"\\u2026\\">'],
    ['a sentence', '"(http://fhir.internal:8080/x), and"', '"(\\u2026), and"'],
    ['a path beyond ASCII', '"http://fhir.internal:8080/ä/b"', '"\\u2026ä/b"'],
    ['a part of a query', '"x?s=http%3A%2F%2Ffhir.internal%3A8080%2Ffiles%2Fx&y=1"', '"x?s=%E2%80%A6&y=1"'],
    ['twice encoded', `"x?s=${encoded('http://fhir.internal:8080/files', 2)}&y=1"`, '"x?s=%25E2%2580%25A6&y=1"'],
    ['a list', `"x?s=${lower(encoded('http://fhir.internal:8080/files'))}%2ca"`, '"x?s=%e2%80%a6%2ca"'],
    ['a name at its own place', '"https://fhir.hospital.example/files/x"', '"\\u2026"'],
  ])('that apps cannot use is hidden: %s', (_what, from, to) => {
    expect(toApps.inJson(from)).toBe(to);
  });

  test.each([
    ['another port', '"http://fhir.internal:80801/r4/x http://fhir.internal:8081/r4 http://fhir.internal/r4"'],
    ['another port of a default one', '"https://fhir.hospital.example:8443/api/r4"'],
    [
      'a longer host',
      '"http://fhir.internal.example:8080/r4 http://my-fhir.internal:8080/r4 http://fhir.internal-b:8080/r4"',
    ],
    [
      'a longer host with a default port',
      '"https://fhir.hospital.example.org/api/r4 https://fhir.hospital.example-b/api/r4"',
    ],
    ['a dot that is none', '"http://fhirXinternal:8080/r4/x"'],
    ['a host in words', '"Records of fhir.hospital.example and fhir.internal are read."'],
    ['an address of mail', '"admin@fhir.hospital.example, admin@fhir.internal:8080"'],
    ['a literal escape', '"\\\\u0068ttp://fhir.example/r4 \\u00e4 \\u0068ttp"'],
    ['a rooted path', '{"url":"/r4/Patient/1"}'],
  ])('stays as it is: %s', (_what, from) => {
    expect(toApps.inJson(from)).toBe(from);
  });

  test.each([
    ['/r4/Patient/1/_history/2', `${ours}/Patient/1/_history/2`],
    ['/anything/Patient/1', `${ours}/Patient/1`],
    ['\\/r4\\/Patient\\/1', `${ours}/Patient\\/1`],
    ['http://10.0.0.7/x/Patient/1/_history/2', `${ours}/Patient/1/_history/2`],
    [`${theirs}/Patient/1`, `${ours}/Patient/1`],
    ['Patient/1/_history/2', 'Patient/1/_history/2'],
    ['/r4/metadata', '/r4/metadata'],
  ])('is ours as the location of an entry: %s', (from, to) => {
    expect(toApps.inJson(`{"response":{"location" : "${from}"},"a":"Patient/1"}`)).toBe(
      `{"response":{"location" : "${to}"},"a":"Patient/1"}`,
    );
  });

  test('is ours as a location only from the server, and not in a searchset, which has none', () => {
    const entry = '{"response":{"location":"/r4/Patient/1"}}';
    expect([toServer.inJson(entry), toApps.inJson(entry, true)]).toEqual([entry, entry]);
    expect(toApps.inJson(entry)).toContain(`${ours}/Patient/1`);
  });

  test.each([
    ['/r4/Patient/1', `${ours}/Patient/1`],
    ['\\/anything\\/Patient\\/1', `${ours}/Patient\\/1`],
    ['/r4/metadata', '/r4/metadata'],
    ['//other.example/Patient/1', '//other.example/Patient/1'],
    ['http://other.example/Patient/1', 'http://other.example/Patient/1'],
    ['urn:uuid:1', 'urn:uuid:1'],
  ])('is ours as the name of an entry, also in a searchset: %s', (from, to) => {
    for (const isSearchset of [true, false]) {
      const entries = (name: string) => `[{"fullUrl" : "${name}","a":"/r4/Patient/1"},{"fullUrl":"${name}"}]`;
      expect(toApps.inJson(entries(from), isSearchset)).toBe(entries(to));
      expect(toServer.inJson(entries('/r4/Patient/1'))).toBe(entries('/r4/Patient/1'));
    }
    const others = (name: string) => `[{"fullUrl":"${name}"},{"fullUrl":"urn:uuid:1"}]`;
    expect(toApps.inJson(others(from))).toBe(others(to));
  });

  test('stays as it is at our own host', () => {
    const map = new AddressMap(['https://hospital.example/internal/r4'], 'https://hospital.example/fhir', true);
    expect(
      map.inJson('"https://hospital.example/internal/r4/x https://hospital.example/fhir/y https://hospital.example"'),
    ).toBe('"https://hospital.example/fhir/x https://hospital.example/fhir/y https://hospital.example"');
  });

  test('is found with a path that is longer than that of another base', () => {
    const map = new AddressMap(['http://fhir.internal', 'http://fhir.internal/a b'], ours, true);
    expect(map.inJson('"HTTP://fhir.internal/a%20b/x http%3A%2F%2Ffhir.internal%2Fa%2520b%2Fx"')).toBe(
      `"${ours}/x ${encoded(ours)}%2Fx"`,
    );
    expect(map.inJson('"HTTP://fhir.internal/x"')).toBe(`"${ours}/x"`);
  });

  test.each(['http://10.0.0.7:8080/r4', 'http://[fd00::7]:8080/r4', 'http://localhost/r4'])(
    'may have the host %s',
    (base) => {
      const map = new AddressMap([base], ours, true);
      for (const address of [base, base.replace('http', 'HTTP'), encoded(base), encoded(base, 2)]) {
        const times = address.startsWith('http%25') ? 2 : address.startsWith('http%') ? 1 : 0;
        expect(map.inJson(`"x?${address}"`)).toBe(`"x?${encoded(ours, times)}"`);
      }
    },
  );

  test('may have dollar signs, which stand for themselves', () => {
    const base = "https://hospital.example/$&/$$/$1/$'";
    expect(new AddressMap([theirs], base, true).inJson(`{"location":"${theirs}/Patient/1","a":"${theirs}"}`)).toBe(
      `{"location":"${base}/Patient/1","a":"${base}"}`,
    );
  });
});

describe('an address of ours from an app', () => {
  test.each([
    [`${ours}/Patient/1`, `${theirs}/Patient/1`],
    [encoded(`${ours}/Patient/1`), encoded(`${theirs}/Patient/1`)],
    ['HTTPS://LOGIN.hospital.example:443/fhir/Patient/1', `${theirs}/Patient/1`],
    ['https://login.hospital.example/account', 'https://login.hospital.example/account'],
    [`${ours}/a,${ours}/b`, `${theirs}/a,${theirs}/b`],
    [`${ours}b/Patient/1`, `${ours}b/Patient/1`],
  ])('becomes one of the server, and no other does: %s', (from, to) => {
    expect(toServer.inText(from)).toBe(to);
    expect(toServer.inJson(`"${from}"`)).toBe(`"${to}"`);
  });

  test('may be text that looks like JSON', () => {
    const value = 'https:\\u002f\\u002flogin.hospital.example/fhir/x';
    expect(toServer.inText(value)).toBe(value);
  });

  test('is hidden in a text that is no JSON by the character itself', () => {
    expect(toApps.inText('at http://fhir.internal:8080/x.')).toBe('at ….');
  });
});

/** A text with addresses in many spellings, and what it means: the same, in one spelling. */
type Spelled = [text: string, meaning: string];

/** Each character of an address as it stands, or encoded; its separators always as often as `times`. */
function spelling(address: string, times: number): fc.Arbitrary<string> {
  const spelled = [...address].map((character) => {
    const plain = /[A-Za-z0-9.]/.test(character);
    const code = `%${character.charCodeAt(0).toString(16)}`;
    const full = (text: string) => encoded(text.toUpperCase(), times - 1).replaceAll('%25', '%25');
    const forms = [full(code), lower(full(code))];
    if (times === 0) return fc.constantFrom(...(character === '/' ? ['/', '\\/', '\\u002f'] : [character]));
    return fc.constantFrom(...(plain ? [character, character, character, ...forms] : forms));
  });
  return fc.tuple(...spelled).map((parts) => parts.join(''));
}

const spelled: fc.Arbitrary<Spelled> = fc
  .tuple(
    fc.constantFrom(theirs, proxy, theirs.replace('http', 'HTTP').replace('fhir.internal', 'FHIR.Internal')),
    fc.constantFrom('', '/Patient/1', '?x', '/', '.'),
    fc.integer({ min: 0, max: 3 }),
  )
  .chain(([base, tail, times]) =>
    spelling(base, times).map((form): Spelled => [form + encoded(tail, times), decoded(ours + tail)]),
  );

const other: fc.Arbitrary<Spelled> = fc
  .constantFrom('http://hl7.org/fhir', 'http://', '%', '%2', '25', '\\\\', '/r4', 'ü', '😀', ours, 'b', '://', 'fhir.')
  .map((one): Spelled => [one, decoded(one)]);

/** The second implementation reads everything that is encoded, as often as it is. */
function decoded(address: string): string {
  let result = address.replaceAll('\\u002f', '/').replaceAll('\\/', '/');
  for (let time = 0; time < 4; time += 1) {
    result = result.replace(/%([0-7][\dA-Fa-f])/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
  }
  return result;
}

const separator = fc.constantFrom(' ', '"', '","', '<');
const document = fc
  .array(fc.tuple(fc.oneof({ weight: 2, arbitrary: spelled }, other), separator), { maxLength: 8 })
  .map((parts) => ({
    text: parts.map(([[one], after]) => one + after).join(''),
    meaning: parts.map(([[, one], after]) => one + after).join(''),
  }));

test('an address in any spelling means the same afterwards, at our base', () => {
  fc.assert(
    fc.property(document, ({ text, meaning }) => {
      const mapped = toApps.inJson(text);
      expect(decoded(mapped)).toBe(meaning);
      expect(decoded(mapped).toLowerCase()).not.toContain('fhir.internal:8080');
    }),
    runs(1_000, 100_000),
  );
});

test('an address from an app arrives at the server and comes back as it was', () => {
  const address = fc.tuple(fc.constantFrom('/Patient/1', '', '?x=1'), fc.integer({ min: 0, max: 3 }), fc.boolean());
  fc.assert(
    fc.property(address, ([tail, times, isLower]) => {
      const form = encoded(ours + tail, times);
      const sent = `"${isLower ? lower(form) : form}"`;
      expect(toServer.inJson(sent)).not.toContain('hospital');
      expect(toApps.inJson(toServer.inJson(sent))).toBe(sent);
    }),
    runs(100, 1_000),
  );
});

describe('a stream', () => {
  const streamed = (json: string, sizes: number[]) =>
    text(Readable.from(piecesOf(json, sizes)).pipe(toApps.jsonStream()));

  test('has the same result in any pieces', async () => {
    const piece = fc.constantFrom(
      '{"location" : ',
      '"location":"/r4/Patient/1"',
      '"fullUrl":"/r4/Patient/1"',
      '"/r4/Patient/ü"',
      'http://fhir.internal:8080/files/x',
    );
    const json = fc.tuple(document, piece, document).map(([one, middle, two]) => one.text + middle + two.text);
    await fc.assert(
      fc.asyncProperty(json, fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), async (json, sizes) => {
        expect(await streamed(json, sizes)).toBe(toApps.inJson(json));
      }),
      runs(300, 20_000),
    );
  });

  test('passes on what has arrived, up to the last quotation mark', () => {
    const stream = toApps.jsonStream();
    stream.write(`{"a":"${theirs}/x","b":"${theirs}`);
    expect(String(stream.read())).toBe(`{"a":"${ours}/x","b":`);
  });

  test('holds back at most 64 KiB of a long text, and finds addresses in it', async () => {
    const stream = toApps.jsonStream();
    stream.write(`"${'x'.repeat(64 * 1024)}`);
    const passed = String(stream.read());
    expect(passed.length).toBeGreaterThan(64 * 1024 - 1025);
    const long = `"${'x'.repeat(64 * 1024 - 20)} ${theirs}/${'y'.repeat(200_000)} ${encoded(theirs)} z"`;
    for (const size of [1_000, 16_384, 65_536, 65_541]) {
      expect(await streamed(long, [size])).toBe(toApps.inJson(long));
    }
  });

  test('ends in time with a text that is nothing but addresses', async () => {
    const addresses = `"${'http://fhir.internal:8080/x,'.repeat(20_000)}"`;
    expect((await streamed(addresses, [65_536])).length).toBeLessThan(addresses.length);
  });
});
