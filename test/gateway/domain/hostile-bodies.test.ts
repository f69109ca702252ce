/** What anyone may send or store takes time in proportion to its size: no body holds up a node. */
import { readJson, readPatch } from '../../../src/gateway/application/server/resource-body.js';
import { AddressMap } from '../../../src/gateway/domain/address-map.js';
import { referencesIn } from '../../../src/gateway/domain/references/written-references.js';

const serverBase = 'http://hapi.example:8080/fhir';
const ownBase = 'https://gate.example/fhir';
const toServer = new AddressMap([ownBase], serverBase);
const toApps = new AddressMap([serverBase], ownBase, true);

const filled = (piece: string, size: number) => piece.repeat(Math.ceil(size / piece.length));
const withText = (text: string) => JSON.stringify({ resourceType: 'Patient', text: { div: text } });
const listOf = (item: string, size: number) => `{"resourceType":"Patient","x":[${filled(`${item},`, size)}${item}]}`;
const members = (size: number, name: (index: number) => string) =>
  `{${Array.from({ length: size / 12 }, (_, index) => `"${name(index)}":1`).join(',')}}`;

const bodies: Record<string, (size: number) => string> = {
  'empty lines': (size) => `{${filled('\n', size)}}`,
  'one text': (size) => withText(filled('a', size)),
  blanks: (size) => withText(filled(' ', size)),
  quotes: (size) => withText(filled('"', size)),
  backslashes: (size) => withText(filled('\\', size)),
  'escaped letters': (size) => `{"a":"${filled('\\u0041', size)}"}`,
  'escaped backslashes before a letter': (size) => `{"a":"${filled('\\\\', size)}\\u0041"}`,
  slashes: (size) => withText(filled('/', size)),
  'percent signs': (size) => withText(filled('%25', size)),
  'addresses that end in full stops': (size) => withText(filled(`//${'.'.repeat(1_900)}a `, size)),
  'an address of the server with full stops': (size) => withText(`${serverBase.slice(0, -5)}/${filled('.', size)}a`),
  'an encoded address of the server with full stops': (size) =>
    withText(`http%3A%2F%2Fhapi.example%3A8080%2F${filled('.', size)}a`),
  'the host of the server': (size) => withText(filled('hapi.example:8080', size)),
  'the host of the server after slashes': (size) => withText(filled('//hapi.example:8080/', size)),
  'an attribute without an end': (size) => withText(` href${filled(' ', size)}`),
  attributes: (size) => withText(filled(' href="', size)),
  'short addresses': (size) => withText(filled('//a ', size)),
  references: (size) => listOf('{"reference":"Patient/1"}', size),
  'references elsewhere': (size) => listOf('{"reference":"http://a/B/1"}', size),
  identifiers: (size) => listOf('{"identifier":{"value":"1"}}', size),
  'lists in lists': (size) => '['.repeat(size / 2) + ']'.repeat(size / 2),
  'objects in objects': (size) => `${filled('{"a":', size)}1${'}'.repeat(Math.ceil(size / 5))}`,
  'nested lists': (size) => listOf('['.repeat(90) + ']'.repeat(90), size),
  'different members': (size) => members(size, (index) => index.toString(36)),
  'members with indexes as names': (size) => members(size, (index) => String(index * 1024)),
  'equal members': (size) => members(size, () => 'a'),
  digits: (size) => `{"a":1${filled('0', size)}}`,
};

const readers: Record<string, (text: string) => unknown> = {
  'read as a resource': readJson,
  'read as a patch': readPatch,
  'sent to the FHIR server': (text) => toServer.inJson(text),
  'answered to an app': (text) => toApps.inJson(text),
  'searched for references': async (text) => referencesIn(await readJson(text), [serverBase, ownBase]),
};

/** Milliseconds of this process; a refusal is an answer, too. */
async function timeOf(read: (text: string) => unknown, text: string): Promise<number> {
  const begun = process.cpuUsage();
  try {
    await read(text);
  } catch (error) {
    expect(error).toMatchObject({ name: expect.stringMatching(/^(Error|Refusal)$/), status: expect.any(Number) });
  }
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1_000;
}

const size = 60_000;

describe.each(Object.entries(bodies))('A body of %s', (_, bodyOf) => {
  it.each(Object.entries(readers))('is %s in proportion to its size', async (_name, read) => {
    const [small, large] = [bodyOf(size), bodyOf(4 * size)];
    await timeOf(read, small);
    // Four times the size takes sixteen times as long where each character is compared with all others.
    expect(await timeOf(read, large)).toBeLessThan(8 * (await timeOf(read, small)) + 150);
  });
});

it('A resource with more addresses than can be read in one turn is refused', () => {
  const found = (count: number) => referencesIn(JSON.parse(withText('//a '.repeat(count))), [serverBase, ownBase]);
  expect(found(10_000)).toEqual([]);
  expect(() => found(10_001)).toThrow(expect.objectContaining({ status: 413 }));
});
