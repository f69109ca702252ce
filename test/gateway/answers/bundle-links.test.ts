import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import fc from 'fast-check';
import {
  entryAboutLost,
  linkStream,
  rewrittenLinks,
  withLinksOf,
  withRewrittenLinks,
} from '../../../src/gateway/domain/answers/bundle-links.js';
import { piecesOf } from '../../support/fhir/pieces.js';
import { runs } from '../../support/runs.js';

const seal = (url: string, relation: string) => {
  if (relation === 'self') return url;
  return url.startsWith('evil') ? undefined : `sealed:${url}`;
};
const links = { bundle: 'searchset', rewrite: seal } as const;

async function passed(json: string, sizes: number[] = [json.length]): Promise<string> {
  const stream = linkStream(links);
  const [result] = await Promise.all([text(stream), pipeline(Readable.from(piecesOf(json, sizes)), stream)]);
  return result;
}

describe('rewriting the links of a Bundle while it is streamed', () => {
  const self = { relation: 'self', url: 'Observation?x' };
  const next = { relation: 'next', url: '?_getpages=ü' };
  const sealed = { relation: 'next', url: 'sealed:?_getpages=ü' };
  const lost = { relation: 'last', url: 'evil' };
  const told = entryAboutLost(['last'], 'searchset');
  const one = { resource: { resourceType: 'Patient', link: [lost] } };

  test.each([
    ['before entries', { link: [self, next, lost], entry: [one] }, { link: [self, sealed], entry: [one, told] }],
    ['after entries', { entry: [one], link: [self, next, lost] }, { entry: [one, told], link: [self, sealed] }],
    ['before an empty list', { link: [lost], entry: [] }, { link: [], entry: [told] }],
    ['after an empty list', { entry: [], link: [lost] }, { entry: [told], link: [] }],
    ['without entries', { total: 3, link: [lost] }, { total: 3, link: [], entry: [told] }],
    [
      'that can all be followed',
      { entry: [one], link: [next], x: [lost] },
      { entry: [one], link: [sealed], x: [lost] },
    ],
    ['of which none is a page', { link: [{ relation: 'other', url: 'evil' }] }, { link: [] }],
  ])('rewrites links %s, and tells of pages that cannot be opened', async (_what, bundle, expected) => {
    for (const json of [JSON.stringify(bundle), JSON.stringify(bundle, undefined, 2)]) {
      for (const sizes of [[json.length], [1], [7]]) expect(JSON.parse(await passed(json, sizes))).toEqual(expected);
      const bytes = withLinksOf(bundle, Buffer.from(json).toString('latin1'), links);
      expect(JSON.parse(Buffer.from(bytes, 'latin1').toString())).toEqual(expected);
    }
  });

  test('tells in a history by an entry that its form permits', async () => {
    const bundle = JSON.stringify({ link: [lost], entry: [one] });
    const stream = linkStream({ bundle: 'history', rewrite: seal });
    const [result] = await Promise.all([text(stream), pipeline(Readable.from(piecesOf(bundle, [9])), stream)]);
    expect(JSON.parse(result).entry[1]).toEqual({
      request: { method: 'GET', url: '_history' },
      response: { status: '200', outcome: (told as { resource: object }).resource },
    });
  });

  test('holds back no more than 64 KiB after the entries', async () => {
    const json = `{"entry":[1],"x":"${'y'.repeat(70_000)}","link":[{"relation":"next","url":"evil"}]}`;
    expect(JSON.parse(await passed(json, [1_000]))).toEqual({ ...JSON.parse(json), link: [] });
  });

  test('leaves links inside of resources unchanged', async () => {
    const forged = '{"link":[{"relation":"next","url":"x"}],"div":"\\"link\\":[{\\"url\\":\\"x\\"}]"}';
    for (const json of [
      `{"entry":[{"resource":${forged}}]}`,
      `{"entry":[{"link":[{"relation":"next","url":"x"}]}]}`,
      `{"a":"link","b":[{"relation":"next","url":"x"}]}`,
      `{"links":[{"relation":"next","url":"x"}],"lin":[1],"li\\nk":[1]}`,
      `[{"link":[{"relation":"next","url":"x"}]}]`,
    ]) {
      expect(await passed(json)).toBe(json);
    }
  });

  test('has the same result for any chunks', async () => {
    const member = fc.oneof(
      fc.tuple(fc.constantFrom('link', 'entry', 'l', '\\', 'linkx'), fc.jsonValue({ maxDepth: 3 })),
      fc.tuple(
        fc.constant('link'),
        fc.array(fc.record({ relation: fc.constantFrom('self', 'next', 'x'), url: fc.string({ unit: 'grapheme' }) })),
      ),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(member, { maxLength: 5 }).map((members) => Object.fromEntries(members)),
        fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1 }),
        async (bundle, sizes) => {
          const expected =
            typeof bundle.link === 'object' && bundle.link !== null
              ? { ...bundle, link: rewrittenLinks(bundle.link, seal).links }
              : bundle;
          expect(JSON.parse(await passed(JSON.stringify(bundle), sizes))).toEqual(JSON.parse(JSON.stringify(expected)));
        },
      ),
      runs(300, 20_000),
    );
  });

  test('holds links of at most 64 KiB', async () => {
    const links = (bytes: number) => `{"link":[${' '.repeat(bytes - 1)}]}`;
    const begun = '{"link":['.length;
    expect(await passed(links(65_536), [begun + 65_535, 10])).toBe('{"link":[]}');
    await expect(passed(links(65_537), [begun + 65_536, 10])).rejects.toThrow('the links of a Bundle are too long');
  });

  test('ends a response whose links are endless or not JSON', async () => {
    await expect(passed(`{"link":[${'"x",'.repeat(20_000)}`)).rejects.toThrow('too long');
    await expect(passed('{"link":[x]}')).rejects.toThrow();
    expect(await passed('{"total":1,"link":[{"relation":"next"')).toBe('{"total":1,"link":');
  });
});

describe('the links of a Bundle', () => {
  test('are those with an address, and keep their other members', () => {
    const links = [
      ...[null, 7, 'x', {}, { relation: 'next' }, { relation: 'next', url: 7 }, { relation: 'next', url: 'evil' }],
      ...[{ relation: 'next', url: 'x', extension: 1 }, { relation: 'self', url: 'evil' }, { url: 'y' }],
    ];
    expect(rewrittenLinks(links, seal)).toEqual({
      links: [
        { relation: 'next', url: 'sealed:x', extension: 1 },
        { relation: 'self', url: 'evil' },
        { url: 'sealed:y' },
      ],
      lost: ['next', 'next', 'next'],
    });
  });

  test.each([undefined, null, {}, 'x', 7])('are none as %j', (links) => {
    expect(rewrittenLinks(links, seal)).toEqual({ links: [], lost: [] });
  });
});

describe('rewriting the links of a Bundle that is parsed', () => {
  const parsed = (json: string) => withLinksOf(JSON.parse(json), json, links);

  test('rewrites the links of the Bundle, wherever they are', () => {
    const link = [{ relation: 'next', url: 'x' }];
    const rewritten = [{ relation: 'next', url: 'sealed:x' }];
    expect(parsed(JSON.stringify({ link, entry: [{}] }))).toBe(JSON.stringify({ link: rewritten, entry: [{}] }));
    expect(parsed(JSON.stringify({ entry: [{}], link }))).toBe(JSON.stringify({ entry: [{}], link: rewritten }));
    const patient = { resource: { resourceType: 'Patient', link: [{ url: 'x' }] } };
    expect(parsed(JSON.stringify({ entry: [patient], link }))).toBe(
      JSON.stringify({ entry: [patient], link: rewritten }),
    );
    expect(parsed(JSON.stringify({ entry: [patient] }))).toBe(JSON.stringify({ entry: [patient] }));
  });

  test('leaves the links of a resource unchanged, also where the Bundle names its own in another spelling', () => {
    const json = '{"entry":[{"resource":{"link":[{"url":"x"}]}}],"l\\u0069nk":[{"relation":"next","url":"y"}]}';
    expect(parsed(json)).toBe(json);
  });

  test('has the same result as without parsing', () => {
    const list = fc.array(
      fc.record({ relation: fc.constantFrom('self', 'next', 'link'), url: fc.constantFrom('x', 'evil', '"link":[') }),
    );
    const value = fc.oneof(list, fc.record({ link: list }), fc.jsonValue({ maxDepth: 2 }));
    const member = fc
      .tuple(fc.constantFrom('"link"', '"entry"', '"l\\u0069nk"', '"x"'), value)
      .map(([name, one]) => `${name}:${JSON.stringify(one)}`);
    fc.assert(
      fc.property(fc.array(member, { maxLength: 4 }), (members) => {
        const json = `{${members.join(',')}}`;
        expect(parsed(json)).toBe(withRewrittenLinks(json, links));
      }),
      runs(500, 50_000),
    );
  });
});
