import fc from 'fast-check';
import { parse, stringify } from 'lossless-json';
import { ArrivingAnswer } from '../../../src/gateway/application/access/arriving-answer.js';
import {
  type AnswerLimits,
  keepPermitted,
  NoSearchAnswer,
} from '../../../src/gateway/application/access/search-answer.js';
import { Cancellation } from '../../../src/gateway/application/server/gateway-request.js';
import { HeldMemory } from '../../../src/gateway/application/server/held-memory.js';
import { runs } from '../../support/runs.js';

const mb = 1024 * 1024;
/** More than is decided about together. */
const long = 'x'.repeat(70_000);
const short = (text: string) => text.replaceAll(long, 'LONG');
const partOf = (resource: unknown) => ({ ...(resource as object), name: undefined, isPart: true });

/** What is open tells so itself, or by the name of another resource that has to be known and open. */
class Matches {
  readonly known = new Map<string, boolean>();
  requests = 0;

  /** `server` has the resources that can be asked for, by id. */
  constructor(private readonly server: ReadonlyMap<string, Stub>) {}

  prepare = async (found: readonly Stub[], now: readonly Stub[] = []): Promise<void> => {
    if (!found.some(({ needs }) => needs !== undefined)) return;
    this.remember(now);
    const missing = found.filter((one) => this.awaits(one));
    if (missing.length > 0) this.requests += 1;
    this.remember(missing.flatMap(({ needs = '' }) => this.server.get(needs) ?? []));
  };

  remember = (resources: readonly Stub[]): void => {
    for (const { id, open } of resources) this.known.set(String(id), open === true);
  };

  awaits = ({ needs }: Stub): boolean => needs !== undefined && !this.known.has(needs);

  shown = ({ open, needs }: Stub) => {
    if (open === 'in-part') return { partOf };
    return (needs === undefined ? open === true : this.known.get(needs) === true) ? 'whole' : 'nothing';
  };
}

interface Stub {
  resourceType: string;
  id?: unknown;
  open?: unknown;
  needs?: string;
}

interface Kind {
  bundle: 'searchset' | 'history';
  type?: string;
  hears?: boolean;
  isRecord?: boolean;
  isOpen?: boolean;
}

function limitsFor({ bundle, type, hears = false, isRecord = false, isOpen = false }: Kind, text = '{}'): AnswerLimits {
  const { entry = [] } = JSON.parse(text) as { entry?: ({ resource?: Stub } | null)[] };
  const matches = new Matches(new Map(entry.map((one) => [String(one?.resource?.id), one?.resource as Stub])));
  return {
    bundle,
    type,
    matches,
    isOpen,
    hears,
    server: { local: (reference) => reference },
    pageLink: (url, relation) => (relation === 'self' ? url : url.startsWith('/') ? `http://ours${url}` : undefined),
    ...(isRecord && { late: matches }),
  };
}

/** The text for the app of an answer that arrives in parts of these lengths, and the parts in which it leaves. */
async function arriving(
  text: string,
  limits: AnswerLimits,
  { lengths = [text.length], longest = 100 * mb }: { lengths?: readonly number[]; longest?: number } = {},
) {
  const held = new HeldMemory({ answer: longest, body: mb, held: 400 * mb }, 1000);
  const answer = new ArrivingAnswer(limits, held.forRequest(new Cancellation()));
  const parts: string[] = [];
  let atEnd: unknown;
  const all = answer.shown(inParts(Buffer.from(text), lengths), (counts) => {
    atEnd = counts;
  });
  const failure = await (async () => {
    for await (const part of all) parts.push(part);
  })().catch((error: unknown) => error);
  return { parts, text: parts.join(''), failure, atEnd };
}

async function* inParts(bytes: Buffer, lengths: readonly number[]): AsyncGenerator<Buffer> {
  let from = 0;
  for (let index = 0; from < bytes.length; index += 1) {
    const to = from + (lengths[index % lengths.length] ?? 1);
    yield bytes.subarray(from, to);
    from = to;
  }
}

/** The JSON in the order in which an arriving answer has it, with its decimals. */
function inOrder(text: string, isRecord = false): unknown {
  const { entry, link, ...others } = parse(text) as { entry?: { resource?: Stub }[] | null; link?: unknown[] };
  const isLast = ({ resource }: { resource?: Stub }) => (resource?.resourceType === 'OperationOutcome' ? 1 : 0);
  const remarksLast = entry?.toSorted((a, b) => isLast(a) - isLast(b));
  // The entries of a record have no order.
  const ordered = isRecord ? remarksLast?.map((one) => stringify(one)).toSorted() : remarksLast;
  return {
    ...others,
    ...(ordered && ordered.length > 0 && { entry: ordered }),
    ...(link && link.length > 0 && { link }),
  };
}

const words = fc.oneof(
  fc.constantFrom('', 'é😀', '\\"\\\\', '\\u0041\\/', '{[,]}', '"x":1'.replaceAll('"', '\\"')),
  fc.constant(long),
);
const resource = fc
  .record({
    type: fc.constantFrom('Observation', 'Observation', 'Observation', 'Encounter'),
    open: fc.constantFrom('true', 'true', 'true', '"in-part"', 'false'),
    needs: fc.option(fc.nat(8), { freq: 4 }),
    value: fc.constantFrom('1.50', '-0.0', '1E400', '12345678901234567890'),
    name: words,
  })
  .map(({ type, open, needs, value, name }) => {
    const more = needs === null ? '' : `,"needs":"${needs}"`;
    return `{"resourceType":"${type}","id":"ID","open":${open},"value":${value},"name":"${name}"${more}}`;
  });
const entryWith = (mode: string) => (one: string) => `{"fullUrl":"http://x/1","resource":${one}${mode}}`;
const outcome =
  '{"resourceType":"OperationOutcome","issue":[{"severity":"warning","code":"value","diagnostics":"see 2"}]}';
const entry = fc.oneof(
  { weight: 8, arbitrary: resource.map(entryWith('')) },
  { weight: 1, arbitrary: resource.map(entryWith(',"search":{"mode":"include"}')) },
  { weight: 1, arbitrary: fc.constantFrom('null', '{"fullUrl":"x"}', '{"resource":{"open":true}}', '7') },
  { weight: 1, arbitrary: fc.constant(entryWith(',"search":{"mode":"outcome"}')(outcome)) },
);
const link = fc.constantFrom(
  '{"relation":"self","url":"/x?patient=p1"}',
  '{"relation":"self","url":"/x"}',
  '{"relation":"next","url":"/next"}',
  '{"relation":"next","url":"http://elsewhere"}',
  'null',
);
const kinds = fc.record({
  bundle: fc.constantFrom('searchset' as const, 'history' as const),
  type: fc.constant('Observation'),
  hears: fc.boolean(),
  isOpen: fc.boolean(),
});
const records = fc.constant({ bundle: 'searchset' as const, isRecord: true });
const answers = fc
  .record({
    kind: fc.oneof(kinds, records) as fc.Arbitrary<Kind>,
    entries: fc.array(entry, { maxLength: 8 }),
    links: fc.array(link, { maxLength: 3 }),
    total: fc.nat(8),
    has: fc.record({ entry: fc.boolean(), link: fc.boolean(), total: fc.boolean() }),
    order: fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6], { minLength: 7 }),
    space: fc.constantFrom('', ' ', '\n  '),
    lengths: fc.array(fc.oneof(fc.integer({ min: 1, max: 60 }), fc.constant(65_536)), { minLength: 1, maxLength: 5 }),
  })
  .map(({ kind, entries, links, total, has, order, space, lengths }) => {
    const members = [
      '"resourceType":"Bundle"',
      `"type":"${kind.bundle}"`,
      has.total ? `"total":${total}` : '"id":"1"',
      has.link ? `"link":[${links}]` : '"language":"de"',
      // No resource is answered twice in different states.
      has.entry
        ? `"entry":[${entries.map((one, index) => one.replace('"ID"', `"${index}"`)).join(`${space},${space}`)}]`
        : '"x":{"y":[1.0,"é"]}',
      '"meta":{"lastUpdated":"2026-01-01T00:00:00Z"}',
      '"timestamp":"2026-01-01T00:00:00Z"',
    ];
    const text = `{${space}${order.map((index) => members[index]).join(`,${space}`)}}`;
    return { kind, text, lengths };
  });

test('what arrives is kept as a whole answer is, whatever its size, order and parts', async () => {
  await fc.assert(
    fc.asyncProperty(answers, async ({ kind, text, lengths }) => {
      const whole = await keepPermitted(text, limitsFor(kind, text));
      const kept = await arriving(text, limitsFor(kind, text), { lengths });
      expect(kept.failure).toBeUndefined();
      expect(inOrder(short(kept.text), kind.isRecord)).toEqual(inOrder(short(whole.text), kind.isRecord));
      expect(kept.atEnd).toMatchObject({ removed: whole.removed });
    }),
    runs(300, 5000),
  );
});

describe('an answer that arrives', () => {
  const search: Kind = { bundle: 'searchset', type: 'Observation' };
  const observation = (open: boolean, more = '') => `{"resource":{"resourceType":"Observation","open":${open}${more}}}`;
  const large = (open: boolean) => observation(open, `,"name":"${long}"`);
  const head = '{"resourceType":"Bundle","type":"searchset"';
  const lengths = [1000];

  test('leaves in parts of its entries, the first of them with its head, and its count and links last', async () => {
    const links = '"link":[{"relation":"self","url":"/x?patient=p1"},{"relation":"next","url":"/next"}]';
    const entries = [large(true), large(false), large(true)];
    const { parts } = await arriving(
      `${head},"id":"1",${links},"total":3,"entry":[${entries}],"x":1}`,
      limitsFor(search),
      { lengths },
    );
    expect(parts.map(short)).toEqual([
      short(`${head},"id":"1","entry":[${entries[0]}`),
      short(`,${entries[2]}`),
      '],"x":1,"total":2,"link":[{"relation":"self","url":"/x?patient=p1"},{"relation":"next","url":"http://ours/next"}]}',
    ]);
  });

  test('with nothing to show has no entries, and leaves at its end', async () => {
    const entries = [large(false), large(false)];
    const { parts } = await arriving(`${head},"entry":[${entries}],"id":"1"}`, limitsFor(search), { lengths });
    expect(parts).toEqual([`${head},"id":"1"}`]);
  });

  test('has its remarks last, and none where a match is removed, as included resources have', async () => {
    const remark = '{"resource":{"resourceType":"OperationOutcome","issue":[]}}';
    const told = async (open: boolean) => {
      const text = `${head},"entry":[${[remark, observation(true), observation(open)]}]}`;
      const limits = limitsFor({ ...search, hears: true });
      return (JSON.parse((await arriving(text, limits)).text).entry as { resource: Stub }[]).map(
        (one) => one.resource.resourceType,
      );
    };
    expect(await told(true)).toEqual(['Observation', 'Observation', 'OperationOutcome']);
    expect(await told(false)).toEqual(['Observation']);
  });

  test('of a whole record decides last about what depends on other resources, with no request for those that arrive', async () => {
    const limits = limitsFor({ bundle: 'searchset', isRecord: true });
    const named = (id: string, open: boolean) =>
      `{"resource":{"resourceType":"Observation","id":"${id}","open":${open},"name":"${long}"}}`;
    const naming = (id: string) => `{"resource":{"resourceType":"List","needs":"${id}"}}`;
    const entries = [naming('b'), named('a', true), naming('a'), named('b', true), named('c', false), naming('c')];
    const { text } = await arriving(`${head},"entry":[${entries}]}`, limits, { lengths });
    expect(short(text)).toBe(short(`${head},"entry":[${[entries[1], entries[2], entries[3], entries[0]]}]}`));
    expect((limits.matches as unknown as Matches).requests).toBe(0);
  });

  test.each([
    ['ends too early', `,${observation(true)}`],
    ['has broken entries', ',{"resource":}]}'],
    ['has another type, told at its end', `],"type":"history"}`],
    ['is no Bundle, told at its end', `],"type":"searchset","resourceType":"List"}`],
    ['does not tell its type', ']}'],
    ['has its entries twice', '],"type":"searchset","entry":[]}'],
  ])('has no end if it %s', async (_, rest) => {
    const isBundle = rest.includes('resourceType":"List') ? '' : '"resourceType":"Bundle",';
    const begin = `{${isBundle}"entry":[${large(true)}`;
    const { text, failure } = await arriving(begin + rest, limitsFor(search), { lengths: [begin.length, 1000] });
    expect(failure).toBeInstanceOf(NoSearchAnswer);
    expect(short(text)).toBe(short(`${head},"entry":[${large(true)}`));
  });

  test.each([
    ['is of another kind', '{"resourceType":"Bundle","type":"history","entry":['],
    ['is no Bundle', '{"resourceType":"List","entry":['],
    ['is a page of HTML', '<html>'],
  ])('has no beginning if it %s', async (_, text) => {
    const { parts, failure } = await arriving(text + observation(true), limitsFor(search));
    expect([parts, failure]).toEqual([[], expect.any(NoSearchAnswer)]);
  });

  test.each([
    ['an entry', `"entry":[${observation(true, `,"name":"${'x'.repeat(mb)}"`)}]`],
    ['another member', `"text":"${'x'.repeat(mb)}"`],
    [
      'the rest of its members together',
      Array.from({ length: 20 }, (_, index) => `"m${index}":"${'x'.repeat(60_000)}"`).join(),
    ],
  ])('is refused if %s is larger than a resource may be', async (_, members) => {
    const { failure } = await arriving(`${head},${members}}`, limitsFor(search), { lengths, longest: mb });
    expect(failure).toMatchObject({ status: 502, code: 'too-long' });
    const larger = await arriving(`${head},${members}}`, limitsFor(search), { lengths, longest: 2 * mb });
    expect(larger.failure).toBeUndefined();
  });
});
