import { toldBy } from '../lib/probe/compare.js';
import type { Answer } from '../lib/types.js';

const answer = (text: string, headers: Record<string, string> = {}, status = 400): Answer => ({
  status,
  headers,
  text,
  json: { resourceType: 'OperationOutcome', text },
});

/** The differences of the answers about patient 2 from those about patients that do not exist. */
function told(real: (id: string) => Answer, nothing = real) {
  let count = 0;
  return toldBy(
    real('2'),
    { B: '2' },
    {
      again: async () => real('2'),
      nothing: async () => {
        count += 1;
        return { answer: nothing(`x${count}`), like: { B: `x${count}` } };
      },
    },
  );
}

describe('Two answers tell nothing', () => {
  it.each<[string, (id: string) => Answer]>([
    ['if they repeat what was asked for', (id) => answer(`There is no Patient/${id}.`)],
    ['if a short id stands in another number', (id) => answer(`HAPI 8.2.0 knows no Patient/${id} (2 seconds).`)],
    ['if an address is repeated as it was sent', (id) => answer(`GET /Observation?_filter=patient%20eq%20${id}`)],
    ['by a header of a cache', (id) => answer('no', id === '2' ? { 'x-cache': 'HIT' } : {})],
    ['by the length of the answer', (id) => answer('no', { 'content-length': String(id.length) })],
  ])('%s', async (_what, real) => {
    expect(await told(real)).toBe(undefined);
  });
});

describe('Two answers tell', () => {
  it.each<[string, Answer, string]>([
    ['by their status', answer('no', {}, 403), 'status 403 instead of 400'],
    ['by their words', answer('not yours'), 'text differs'],
    ['by a header', answer('no', { etag: 'W/"3"' }), 'header etag present instead of absent'],
    [
      'by a word of a header',
      answer('no', { 'content-type': 'text/html' }),
      'header content-type text/html instead of absent',
    ],
    ['by a number in a header', answer('no', { 'x-total-count': '7' }), 'header x-total-count 7 instead of absent'],
  ])('%s', async (_what, real, difference) => {
    expect(
      (
        await told(
          () => real,
          () => answer('no'),
        )
      )?.differences,
    ).toEqual([difference]);
  });

  it('by what a Bundle has besides its entries', async () => {
    const bundle = (more: object): Answer => ({
      status: 200,
      headers: {},
      text: '',
      json: { resourceType: 'Bundle', type: 'searchset', total: 0, ...more },
    });
    const real = () => bundle({ meta: { lastUpdated: '2026-01-01T00:00:00Z' } });
    expect((await told(real, () => bundle({})))?.differences).toEqual([
      'members meta,meta.lastUpdated,resourceType,type instead of resourceType,type',
    ]);
  });

  it('nothing by what differs from one answer about nothing to the next', async () => {
    let count = 0;
    const changing = () => answer(`word${'abcdefgh'[count++]}`);
    expect(await told(changing)).toBe(undefined);
  });
});
