import { keepOpen, NoSearchAnswer, type SearchLimits } from '../../src/gateway/application/search-answer.js';

const limits: SearchLimits = {
  type: 'Observation',
  isOpen: (resource) => (resource as { open?: boolean }).open === true,
  provesLimit: (link) => link.includes('patient=Patient/p1'),
};
const entry = (open: boolean, more = '') => `{"resource":{"resourceType":"Observation","open":${open}${more}}}`;
const bundle = (members: string) => `{"resourceType":"Bundle","type":"searchset"${members}}`;
const proof = ',"link":[{"relation":"self","url":"http://x/Observation?patient=Patient/p1"}]';

describe('keeping what is open of a search', () => {
  test('leaves an answer as it is when all of it is open and its count is proven', () => {
    const text = bundle(`${proof},"total":7,"entry":[ ${entry(true, ',"value":1.50')} ]`);
    expect(keepOpen(text, limits)).toEqual({ text, removed: 0 });
  });

  test('takes out what is not open, with the count, and keeps decimals as they were', () => {
    const text = bundle(`${proof},"total":2,"entry":[${entry(false)},${entry(true, ',"value":1.50')}]`);
    expect(keepOpen(text, limits)).toEqual({
      text: bundle(`${proof},"entry":[${entry(true, ',"value":1.50')}]`),
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

  test.each([
    ['another type', '{"resource":{"resourceType":"Patient","open":true}}'],
    ['a batch inside', '{"resource":{"resourceType":"Bundle","open":true}}'],
    ['no resource', '{"fullUrl":"x"}'],
    ['nothing', 'null'],
    ['a text', '"Observation"'],
  ])('takes out %s', (_what, one) => {
    expect(keepOpen(bundle(`,"entry":[${one}]`), limits)).toEqual({ text: bundle(''), removed: 1 });
  });

  test('keeps what the server says about the search', () => {
    const text = bundle(',"entry":[{"resource":{"resourceType":"OperationOutcome"},"search":{"mode":"outcome"}}]');
    expect(keepOpen(text, limits)).toEqual({ text, removed: 0 });
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
