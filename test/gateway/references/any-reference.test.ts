import fc from 'fast-check';
import { TwoRecords, typesOfRecords, withoutRecord } from '../../support/fhir/two-records.js';
import { observation, waysToRefer } from '../../support/fhir/ways-to-refer.js';
import { runs } from '../../support/runs.js';

let records: TwoRecords;

beforeAll(async () => {
  records = await TwoRecords.start();
});

afterAll(() => records.close());

const own = ['Patient/p1', ...typesOfRecords.map((type) => `${type}/of-p1`)];
const others = ['Patient/p2', ...typesOfRecords.map((type) => `${type}/of-p2`), 'Encounter/none', 'Patient/none'];

/** Where the names of resources are put: a way to refer, below generated elements. */
interface Part {
  way: number;
  target: string;
  names: string[];
}

const part = (targets: string[]): fc.Arbitrary<Part> =>
  fc.record({
    way: fc.nat(),
    target: fc.constantFrom(...targets),
    names: fc.array(fc.constantFrom('extension', 'contained', 'component', 'item', '_value', 'section', 'x'), {
      maxLength: 6,
    }),
  });

/** Puts the elements of a way below others, in lists and objects in turn. */
function placed({ way, target, names }: Part): object {
  const ways = Object.values(waysToRefer(records));
  const elements = ways[way % ways.length]?.(target) ?? {};
  return names.reduceRight<object>((inner, name, index) => ({ [name]: index % 2 === 0 ? [inner] : inner }), elements);
}

/**
 * A second, simple implementation: it looks for names of resources in the text of what is sent, without its structure.
 * It knows no spelling but that of the ways, and takes each name for a reference.
 */
function namesIn(text: string): string[] {
  const plain = text.replaceAll('%2F', '/').replaceAll('\\/', '/');
  return [...plain.matchAll(/(?<![A-Za-z])([A-Z][A-Za-z]+\/[a-z0-9-]+)/g)].map(([, name = '']) => name);
}

test('a change of generated elements is passed on if, and only if, all resources that it names are of the record or in none', async () => {
  const token = records.gateway.tokenFor('patient/*.cruds', { patient: 'p1' });
  const seen = { passed: 0, refused: 0 };
  const parts = fc.array(
    fc.oneof({ weight: 3, arbitrary: part([...own, ...withoutRecord]) }, { weight: 1, arbitrary: part(others) }),
    { minLength: 1, maxLength: 5 },
  );
  await fc.assert(
    fc.asyncProperty(parts, fc.boolean(), async (generated, isUpdate) => {
      const more = Object.fromEntries(generated.map((one, index) => [`part${index}`, placed(one)]));
      const body = JSON.stringify(observation(more, isUpdate ? 'of-p1' : undefined));
      records.taken();
      const response = await records.gateway.fetch(isUpdate ? '/Observation/of-p1' : '/Observation', token, {
        method: isUpdate ? 'PUT' : 'POST',
        headers: { 'content-type': 'application/fhir+json' },
        body,
      });
      const isOpen = namesIn(body).every((name) => !others.includes(name));
      expect([response.status < 300, records.taken().writes.length]).toEqual([isOpen, isOpen ? 1 : 0]);
      if (isOpen) seen.passed += 1;
      else seen.refused += 1;
    }),
    runs(100, 10_000),
  );
  expect(seen.passed).toBeGreaterThan(10);
  expect(seen.refused).toBeGreaterThan(10);
});
