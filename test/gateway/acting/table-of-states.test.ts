/** Kim's record on each day of a relationship: what is open, and how the rest is answered. */
import type { Stored } from '../../support/fhir/record-server.js';
import { placesIn, type TableAnswer, TableGateway } from '../../support/representation/table/gateway.js';
import { tableRecord } from '../../support/representation/table/record.js';
import { sharedTypes } from '../../support/representation/table/rules.js';
import { opens, type State, states, typeIsOpen } from '../../support/representation/table/states.js';
import { eachSecond, itInLongRun } from '../../support/runs.js';

/** The current version of each resource. */
const current = new Map<string, { levels: string; resource: Stored }>();
for (const [levels, resource] of tableRecord) {
  current.set(`${resource.resourceType}/${resource.id}`, { levels, resource });
}
/** The levels that open each version by itself, of what has two. */
const versionsOf: readonly [place: string, levels: readonly string[]][] = [
  ['Observation/vit', ['full teen private daily basics care']],
  ['Observation/late', ['full teen private daily basics care']],
  ['Observation/was', ['full care labels']],
];
const types = [...new Set([...current.values()].map(({ resource }) => resource.resourceType))];
/** No server searches them. */
const searched = types.filter((type) => type !== 'Binary');
const inEachRun = ['Patient', 'Observation', 'MedicationRequest', 'RelatedPerson'];

describe.each([
  ['that finds what it is asked for', false],
  ['that answers everything to everybody', true],
])('At a server %s, Kim and who acts for her:', (_which, ignores) => {
  let kim: TableGateway;

  beforeAll(async () => {
    kim = await TableGateway.start(ignores);
  });

  afterAll(() => kim.close());

  /** What differs from what the state opens. */
  function differences(state: State) {
    const found: string[] = [];
    const is = (what: string, actual: unknown, expected: unknown) => {
      const [one, other] = [JSON.stringify(actual), JSON.stringify(expected)];
      if (one !== other) found.push(`${what}: ${one} in place of ${other}`);
    };
    const statusOf = (place: string): number => {
      const { levels = '', resource } = current.get(place) ?? {};
      if (state.levels.length === 0) return 401;
      if (!typeIsOpen(String(resource?.resourceType), state)) return 403;
      return opens(levels, state) ? 200 : 404;
    };
    const openOf = (type: string): string[] | number => {
      if (state.levels.length === 0) return 401;
      if (!typeIsOpen(type, state)) return 403;
      const open = [...current].filter(([place, one]) => place.startsWith(`${type}/`) && opens(one.levels, state));
      return [...open.map(([place]) => place), ...(type === 'Patient' ? ['Patient/kim'] : [])].sort();
    };
    return { found, is, statusOf, openOf };
  }

  const shownIn = (answer: TableAnswer) => (answer.status === 200 ? placesIn(answer) : answer.status);

  /** A document that no readable resource links is a missing one, whether or not its type is private. */
  const isSameRefusal = (place: string, ...statuses: number[]) =>
    place.startsWith('Binary/') && statuses.every((status) => status === 403 || status === 404);

  function conditionFor(type: string): string {
    if (sharedTypes.includes(type)) return '_id=dr,tablet,ward-7';
    if (type === 'Provenance') return 'target=Observation/vit';
    return type === 'Patient' ? '_id=kim' : 'patient=kim';
  }

  // In the usual run each state is tried at one of the servers.
  it.each(eachSecond(states, Number(ignores)).map((one) => [one.says, one] as const))('%s', async (_says, state) => {
    kim.be(state);
    const { found, is, statusOf, openOf } = differences(state);
    const places = [...current.keys()];
    const entry = places.map((url) => ({ request: { method: 'GET', url } }));
    const batch = await kim.ask('/', {
      method: 'POST',
      headers: { 'content-type': 'application/fhir+json' },
      body: JSON.stringify({ resourceType: 'Bundle', type: 'batch', entry }),
    });
    if (state.levels.length === 0) is('batch', batch.status, 401);
    else {
      const answers = (batch.body.entry ?? []).map(({ response }) => Number(response?.status.slice(0, 3)));
      places.forEach((place, index) => {
        const status = answers[index] ?? 0;
        if (!isSameRefusal(place, status, statusOf(place))) is(place, status, statusOf(place));
      });
    }
    for (const type of inEachRun) {
      is(type, shownIn(await kim.ask(`/${type}?${conditionFor(type)}`)), openOf(type));
    }
    expect(found).toEqual([]);
  });

  itInLongRun.each(states.map((one) => [one.says, one] as const))('%s, by each way', async (_says, state) => {
    kim.be(state);
    const { found, is, statusOf, openOf } = differences(state);
    for (const place of current.keys()) {
      const { status } = await kim.ask(`/${place}`);
      if (!isSameRefusal(place, status, statusOf(place))) is(place, status, statusOf(place));
    }
    for (const [place, versions] of versionsOf) {
      const first = statusOf(place) === 200 && !opens(versions[0] ?? '', state) ? 404 : statusOf(place);
      is(`${place}, version 1`, (await kim.ask(`/${place}/_history/1`)).status, first);
      is(`${place}, versions`, (await kim.ask(`/${place}/_history`)).status, statusOf(place));
    }
    for (const type of searched) {
      const condition = conditionFor(type);
      const absolute = condition.replace('=kim', `=${encodeURIComponent(`${kim.gateway.base}/Patient/kim`)}`);
      const form = {
        method: 'POST',
        body: condition,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      };
      is(type, shownIn(await kim.ask(`/${type}?${condition}`)), openOf(type));
      is(`${type} by POST`, shownIn(await kim.ask(`/${type}/_search`, form)), openOf(type));
      if (type !== 'Patient') is(`${type} by URL`, shownIn(await kim.ask(`/${type}?${absolute}`)), openOf(type));
      if (sharedTypes.includes(type)) continue;
      const all = type === 'Provenance' ? `${type}?${condition}` : type;
      is(`all of ${type}`, shownIn(await kim.ask(`/${all}`)), openOf(type));
      const other = await kim.ask(`/${type}?patient=lou`);
      is(`${type} of another`, other.status === 200 ? placesIn(other) : [], []);
    }
    const everything = await kim.ask('/Patient/kim/$everything');
    const about = [...current].filter(
      ([place, { levels, resource }]) =>
        (JSON.stringify(resource).includes('"Patient/kim"') || resource.resourceType === 'Provenance') &&
        !place.startsWith('Binary/') &&
        opens(levels, state),
    );
    const expected = [...about.map(([place]) => place), 'Patient/kim'].sort();
    is('everything', shownIn(everything), state.levels.length === 0 ? 401 : expected);
    expect(found).toEqual([]);
  });
});
