import {
  type AnswerLimits,
  emptySearchAnswer,
  keepPermitted,
  NoSearchAnswer,
} from '../../../src/gateway/application/access/search-answer.js';

const prepare = () => Promise.resolve();
const limits: AnswerLimits = {
  bundle: 'searchset',
  type: 'Observation',
  matches: { prepare, shown: (resource) => ((resource as { open?: boolean }).open === true ? 'whole' : 'nothing') },
  included: {
    prepare,
    shown: (resource) =>
      resource.resourceType === 'Encounter' && (resource as { open?: boolean }).open === true ? 'whole' : 'nothing',
  },
  isOpen: false,
  hears: false,
  server: { local: (reference) => reference },
  pageLink: (url, relation) =>
    relation === 'self'
      ? url
      : url.startsWith('http://x/')
        ? url
        : url.startsWith('?')
          ? `http://sealed${url}`
          : undefined,
};
const history: AnswerLimits = { ...limits, bundle: 'history' };
const entry = (open: boolean, more = '') => `{"resource":{"resourceType":"Observation","open":${open}${more}}}`;
const bundle = (members: string) => `{"resourceType":"Bundle","type":"searchset"${members}}`;
const self = ',"link":[{"relation":"self","url":"http://x/Observation?patient=Patient/p1"}]';

describe('filtering the result of a search', () => {
  test('leaves a result unchanged when all of it is permitted and its count is of what is here', async () => {
    const text = bundle(`${self},"total":1,"entry":[ ${entry(true, ',"value":1.50')} ]`);
    expect(await keepPermitted(text, limits)).toEqual({ text, bundle: JSON.parse(text), kept: 1, removed: 0 });
  });

  test.each([
    ['and corrects the count where all matches are here', 2, ',"total":1'],
    ['and the count where there are more pages', 3, ''],
  ])('removes what is not permitted, %s, and keeps decimals as they were', async (_what, total, shownTotal) => {
    const decimal = entry(true, ',"value":1.50');
    const text = bundle(`${self},"total":${total},"entry":[${entry(false)},${decimal}]`);
    expect(await keepPermitted(text, limits)).toEqual({
      text: bundle(`${self}${shownTotal},"entry":[${decimal}]`),
      bundle: { ...JSON.parse(bundle(`${self},"entry":[${decimal}]`)), total },
      kept: 1,
      removed: 1,
    });
  });

  test('shows the part of a resource that is to be shown', async () => {
    const partOf = (resource: unknown) => ({ ...(resource as object), hidden: undefined });
    const parts = { ...limits, matches: { prepare, shown: () => ({ partOf }) } };
    const text = bundle(`,"entry":[{"fullUrl":"x",${entry(true, ',"value":1.50,"hidden":1').slice(1)}]`);
    const shown = bundle(`,"entry":[{"fullUrl":"x",${entry(true, ',"value":1.50').slice(1)}]`);
    expect(await keepPermitted(text, parts)).toMatchObject({ text: shown, bundle: JSON.parse(shown), removed: 0 });
  });

  test('counts as if what is removed did not exist', async () => {
    const none = bundle(`${self},"total":0`);
    expect((await keepPermitted(none, limits)).text).toBe(none);
    expect((await keepPermitted(bundle(`${self},"total":1,"entry":[${entry(false)}]`), limits)).text).toBe(none);
  });

  describe('of which more is elsewhere', () => {
    const more = bundle(`${self},"total":900,"entry":[${entry(true)}]`);
    const counted = (total: string) => bundle(`${self}${total},"entry":[${entry(true)}]`);

    test('removes the count, whatever the server says that it searched for', async () => {
      expect((await keepPermitted(more, limits)).text).toBe(counted(''));
      const other = bundle(',"link":[{"relation":"next","url":"?patient=Patient/p1"}],"total":1');
      expect((await keepPermitted(other, limits)).text).not.toContain('total');
    });

    test('keeps the count where all of the type is permitted, unless something is removed', async () => {
      const open = { ...limits, isOpen: true };
      expect((await keepPermitted(more, open)).text).toBe(more);
      const removed = bundle(`${self},"total":900,"entry":[${entry(true)},${entry(false)}]`);
      expect((await keepPermitted(removed, open)).text).toBe(counted(''));
    });

    test.each([
      [92, ',"total":92'],
      [undefined, ''],
    ])('has the count %s of the gateway where the app asks for one', async (number, total) => {
      const counts = () => Promise.resolve(number);
      const kept = JSON.parse((await keepPermitted(more, { ...limits, counts })).text);
      expect(kept).toEqual(JSON.parse(counted(total)));
    });
  });

  test('leaves no empty list of links, which FHIR forbids', async () => {
    const elsewhere = ',"link":[{"relation":"next","url":"http://other.example/"}]';
    const { text } = await keepPermitted(bundle(`${elsewhere},"entry":[${entry(true)}]`), limits);
    expect(JSON.parse(text)).not.toHaveProperty('link');
    expect(text).toContain(JSON.stringify('OperationOutcome'));
    expect(JSON.parse(emptySearchAnswer())).toEqual({ resourceType: 'Bundle', type: 'searchset', total: 0 });
  });

  test.each([
    ['a resource without a type', '{"resource":{"open":true}}'],
    ['no resource', '{"fullUrl":"x"}'],
    ['nothing', 'null'],
    ['a text', '"Observation"'],
  ])('removes %s', async (_what, one) => {
    expect(await keepPermitted(bundle(`,"entry":[${one}]`), limits)).toMatchObject({
      text: bundle(''),
      kept: 0,
      removed: 1,
    });
  });

  test('keeps the server’s OperationOutcome about the search, with its words where the token may have them', async () => {
    const outcome = (issue: string) =>
      `{"resource":{"resourceType":"OperationOutcome","issue":[{${issue}}]},"search":{"mode":"outcome"}}`;
    const text = bundle(`,"entry":[${outcome('"severity":"warning","code":"value","diagnostics":"see Patient/2"')}]`);
    expect((await keepPermitted(text, { ...limits, hears: true })).text).toBe(text);
    const remark = 'The FHIR server has a remark on the search, which is not shown with this token.';
    expect((await keepPermitted(text, limits)).text).toBe(
      bundle(`,"entry":[${outcome(`"severity":"warning","code":"value","diagnostics":"${remark}"`)}]`),
    );
  });

  describe('with included resources', () => {
    const included = (type: string, open: boolean) =>
      `{"resource":{"resourceType":"${type}","open":${open}},"search":{"mode":"include"}}`;
    const keptOf = (...entries: string[]) =>
      keepPermitted(bundle(`,"entry":[${entries}]`), limits).then(({ text }) => text);

    test('keeps the permitted ones, which do not change the count', async () => {
      const open = [entry(true), included('Encounter', true)];
      expect(await keptOf(...open, included('Encounter', false))).toBe(bundle(`,"entry":[${open}]`));
      const counted = bundle(`${self},"total":1,"entry":[${open},${included('Encounter', false)}]`);
      expect(await keepPermitted(counted, limits)).toMatchObject({
        text: expect.stringContaining('"total":1'),
        removed: 0,
      });
    });

    test('removes those whose type was not requested, or is the searched type', async () => {
      for (const type of ['Patient', 'Bundle', 'Observation']) {
        expect(await keptOf(entry(true), included(type, true))).toBe(bundle(`,"entry":[${entry(true)}]`));
      }
    });

    test('keeps those that a shown match names, or that name one, when a match is removed', async () => {
      const resource = (type: string, id: string, names?: string, open = true) =>
        `{"resource":{"resourceType":"${type}","id":"${id}","open":${open}${
          names === undefined ? '' : `,"x":[{"reference":"${names}"}]`
        }}${type === 'Encounter' ? ',"search":{"mode":"include"}' : ''}}`;
      const shown = [
        resource('Observation', 'a', 'Encounter/named/_history/2'),
        resource('Encounter', 'named'),
        resource('Encounter', 'naming', 'Observation/a'),
      ];
      const hidden = [
        resource('Observation', 'b', 'Encounter/other', false),
        resource('Encounter', 'other'),
        resource('Encounter', 'far', 'Observation/b'),
        resource('Encounter', 'named', undefined, false),
      ];
      expect(await keptOf(...shown, ...hidden)).toBe(bundle(`,"entry":[${shown}]`));
    });

    test('removes those that may belong to a removed match', async () => {
      expect(await keptOf(entry(true), entry(false), included('Encounter', true))).toBe(
        bundle(`,"entry":[${entry(true)}]`),
      );
    });
  });

  test('rewrites the links to other pages, and removes links to other hosts', async () => {
    const link = (links: string) => bundle(`,"link":[{"relation":"self","url":"anything"}${links}]`);
    const [own, opaque, foreign] = ['http://x/Observation?_offset=2', '?_getpages=1', 'http://evil.example/'];
    expect((await keepPermitted(link(`,{"relation":"next","url":"${own}"}`), limits)).text).toContain(`"${own}"`);
    expect((await keepPermitted(link(`,{"relation":"next","url":"${opaque}"}`), limits)).text).toBe(
      link(`,{"relation":"next","url":"http://sealed${opaque}"}`),
    );
    for (const dropped of [`,{"relation":"next","url":"${foreign}"}`, ',{"relation":"next","url":7}']) {
      const { text, kept, removed } = await keepPermitted(link(dropped), limits);
      expect([JSON.parse(text).link, kept, removed]).toEqual([[{ relation: 'self', url: 'anything' }], 0, 0]);
      expect(JSON.parse(text).entry).toEqual([
        { resource: expect.objectContaining({ resourceType: 'OperationOutcome' }), search: { mode: 'outcome' } },
      ]);
    }
    expect((await keepPermitted(link(',null,"x"'), limits)).text).toBe(link(''));
  });

  test('keeps the permitted versions of a history, no deletion, and no link past a removed one', async () => {
    const versions = (entries: string, more: string) =>
      `{"resourceType":"Bundle","type":"history"${more},"entry":[${entries}]}`;
    const next = ',"link":[{"relation":"next","url":"http://x/Observation/1/_history?_offset=9"}]';
    const all = versions(`${entry(true)},${entry(true)}`, next);
    expect(await keepPermitted(all, history)).toMatchObject({ text: all, kept: 2, removed: 0 });
    const deletion = '{"request":{"method":"DELETE","url":"Observation/1"}}';
    for (const closed of [entry(false), deletion]) {
      expect(await keepPermitted(versions(`${closed},${entry(true)}`, `,"total":2${next}`), history)).toMatchObject({
        text: versions(entry(true), ',"total":1'),
        kept: 1,
        removed: 1,
      });
    }
    await expect(keepPermitted(bundle(''), history)).rejects.toThrow(NoSearchAnswer);
  });

  test.each([
    'null',
    '{}',
    '[]',
    '<html></html>',
    '{"resourceType":"Bundle","type":"searchset","entry":[{"resource":',
    '{"resourceType":"Bundle","type":"history","entry":[]}',
    '{"resourceType":"Bundle","type":"searchset","entry":{"0":{}}}',
    '{"resourceType":"Observation","open":true}',
  ])('refuses %s as a response', async (text) => {
    await expect(keepPermitted(text, limits)).rejects.toThrow(NoSearchAnswer);
  });
});
