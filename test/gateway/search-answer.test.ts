import {
  type AnswerLimits,
  emptySearchAnswer,
  keepOpen,
  NoSearchAnswer,
} from '../../src/gateway/application/access/search-answer.js';

const limits: AnswerLimits = {
  bundle: 'searchset',
  type: 'Observation',
  isOpen: (resource) => (resource as { open?: boolean }).open === true,
  opensIncluded: (resource) => resource.resourceType === 'Encounter' && (resource as { open?: boolean }).open === true,
  provesLimit: (link) => link.includes('patient=Patient/p1'),
  pageLink: (url) => (url.startsWith('http://x/') ? url : url.startsWith('?') ? `http://sealed${url}` : undefined),
};
const history: AnswerLimits = { ...limits, bundle: 'history' };
const entry = (open: boolean, more = '') => `{"resource":{"resourceType":"Observation","open":${open}${more}}}`;
const bundle = (members: string) => `{"resourceType":"Bundle","type":"searchset"${members}}`;
const proof = ',"link":[{"relation":"self","url":"http://x/Observation?patient=Patient/p1"}]';

describe('keeping what is open of a search', () => {
  test('leaves an answer as it is when all of it is open and its count is proven', () => {
    const text = bundle(`${proof},"total":7,"entry":[ ${entry(true, ',"value":1.50')} ]`);
    expect(keepOpen(text, limits)).toEqual({ text, kept: 1, removed: 0 });
  });

  test('takes out what is not open, with the count, and keeps decimals as they were', () => {
    const text = bundle(`${proof},"total":2,"entry":[${entry(false)},${entry(true, ',"value":1.50')}]`);
    expect(keepOpen(text, limits)).toEqual({
      text: bundle(`${proof},"entry":[${entry(true, ',"value":1.50')}]`),
      kept: 1,
      removed: 1,
    });
  });

  test('takes out a count that the server did not prove to be within the limit', () => {
    expect(keepOpen(bundle(`,"total":900,"entry":[${entry(true)}]`), limits).text).toBe(
      bundle(`,"entry":[${entry(true)}]`),
    );
    const other = ',"link":[{"relation":"next","url":"?patient=Patient/p1"}],"total":1';
    expect(keepOpen(bundle(other), limits).text).not.toContain('total');
  });

  test('leaves no list of links that is empty, which would be no FHIR', () => {
    const elsewhere = ',"link":[{"relation":"next","url":"http://other.example/"}]';
    expect(keepOpen(bundle(`${elsewhere},"entry":[${entry(true)}]`), limits).text).toBe(
      bundle(`,"entry":[${entry(true)}]`),
    );
    expect(JSON.parse(emptySearchAnswer())).toEqual({ resourceType: 'Bundle', type: 'searchset', total: 0 });
  });

  test.each([
    ['a resource without a type', '{"resource":{"open":true}}'],
    ['no resource', '{"fullUrl":"x"}'],
    ['nothing', 'null'],
    ['a text', '"Observation"'],
  ])('takes out %s', (_what, one) => {
    expect(keepOpen(bundle(`,"entry":[${one}]`), limits)).toEqual({ text: bundle(''), kept: 0, removed: 1 });
  });

  test('keeps what the server says about the search', () => {
    const text = bundle(',"entry":[{"resource":{"resourceType":"OperationOutcome"},"search":{"mode":"outcome"}}]');
    expect(keepOpen(text, limits)).toEqual({ text, kept: 1, removed: 0 });
  });

  describe('what is included', () => {
    const included = (type: string, open: boolean) =>
      `{"resource":{"resourceType":"${type}","open":${open}},"search":{"mode":"include"}}`;
    const keptOf = (...entries: string[]) => keepOpen(bundle(`,"entry":[${entries}]`), limits).text;

    test('is kept where it is open, and does not spoil the count', () => {
      const open = [entry(true), included('Encounter', true)];
      expect(keptOf(...open, included('Encounter', false))).toBe(bundle(`,"entry":[${open}]`));
      const counted = bundle(`${proof},"total":1,"entry":[${open},${included('Encounter', false)}]`);
      expect(keepOpen(counted, limits)).toMatchObject({ text: expect.stringContaining('"total":1'), removed: 0 });
    });

    test('is taken out where its type was not asked for, or is the one that is searched', () => {
      for (const type of ['Patient', 'Bundle', 'Observation']) {
        expect(keptOf(entry(true), included(type, true))).toBe(bundle(`,"entry":[${entry(true)}]`));
      }
    });

    test('is taken out where it may be there for a resource that is left out', () => {
      expect(keptOf(entry(true), entry(false), included('Encounter', true))).toBe(bundle(`,"entry":[${entry(true)}]`));
    });
  });

  test('rewrites the links to other pages, and drops those that lead elsewhere', () => {
    const link = (links: string) => bundle(`,"link":[{"relation":"self","url":"anything"}${links}]`);
    const [own, opaque, foreign] = ['http://x/Observation?_offset=2', '?_getpages=1', 'http://evil.example/'];
    expect(keepOpen(link(`,{"relation":"next","url":"${own}"}`), limits).text).toContain(`"${own}"`);
    expect(keepOpen(link(`,{"relation":"next","url":"${opaque}"}`), limits).text).toBe(
      link(`,{"relation":"next","url":"http://sealed${opaque}"}`),
    );
    for (const dropped of [`,{"relation":"next","url":"${foreign}"}`, ',{"relation":"next","url":7}', ',null,"x"']) {
      expect(keepOpen(link(dropped), limits).text).toBe(link(''));
    }
  });

  test('keeps of a history the versions that are open, no deletion, and no link past what it left out', () => {
    const versions = (entries: string, more: string) =>
      `{"resourceType":"Bundle","type":"history"${more},"entry":[${entries}]}`;
    const next = ',"link":[{"relation":"next","url":"http://x/Observation/1/_history?_offset=9"}]';
    const all = versions(`${entry(true)},${entry(true)}`, next);
    expect(keepOpen(all, history)).toEqual({ text: all, kept: 2, removed: 0 });
    const deletion = '{"request":{"method":"DELETE","url":"Observation/1"}}';
    for (const closed of [entry(false), deletion]) {
      expect(keepOpen(versions(`${closed},${entry(true)}`, `,"total":2${next}`), history)).toEqual({
        text: versions(entry(true), ''),
        kept: 1,
        removed: 1,
      });
    }
    expect(() => keepOpen(bundle(''), history)).toThrow(NoSearchAnswer);
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
  ])('does not take %s for an answer', (text) => {
    expect(() => keepOpen(text, limits)).toThrow(NoSearchAnswer);
  });
});
