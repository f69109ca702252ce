/** What is asked for Kim, at levels of which each is the only limit of its relationship. */

import { tableChanges } from '../../support/representation/table/changes.js';
import { placesIn, TableGateway } from '../../support/representation/table/gateway.js';
import {
  columns,
  tableConditions,
  tableForms,
  tableReads,
  tableTokens,
} from '../../support/representation/table/reads.js';
import { tableRecord } from '../../support/representation/table/record.js';
import { opens, type State, states } from '../../support/representation/table/states.js';
import { eachSecond } from '../../support/runs.js';

type Column = (typeof columns)[number];

const stateOf = (column: Column): State => states.find(({ levels }) => levels.join() === column) as State;
const linesOf = (table: string) =>
  table
    .trim()
    .split('\n')
    .map((line) => line.split(' | '));
const cellsOf = (cells: readonly string[]) =>
  columns.flatMap((column, index): [Column, string][] => {
    const cell = cells[index] ?? '.';
    return cell === '.' ? [] : [[column, cell]];
  });
const levelsOf = new Map(tableRecord.map(([levels, { resourceType, id }]) => [`${resourceType}/${id}`, levels]));
const isOpen = (place: string, state: State) => place === 'Patient/kim' || opens(levelsOf.get(place) ?? '', state);

describe.each([
  ['that finds what it is asked for', false],
  ['that answers everything to everybody', true],
])('Who acts for Kim, at a server %s,', (_which, ignores) => {
  let kim: TableGateway;
  /** In the usual run each row is tried at one of the servers. */
  const here = <Row>(rows: readonly Row[]) => eachSecond(rows, Number(ignores));

  beforeAll(async () => {
    kim = await TableGateway.start(ignores);
  });

  afterAll(() => kim.close());

  async function expectAnswer(column: Column, expected: string, path: string, init: RequestInit = {}): Promise<void> {
    const state = stateOf(column);
    kim.be(state);
    const answer = await kim.ask(path, init);
    const places = placesIn(answer);
    const shown = places.map((place) => place.split('/')[1] ?? '');
    expect([column, places.filter((place) => !isOpen(place, state))]).toEqual([column, []]);
    expect([column, kim.sent]).toEqual([column, []]);
    if (expected === 'no') expect([column, answer.status >= 400]).toEqual([column, true]);
    else if (/^\d+$/.test(expected)) expect([column, answer.status]).toEqual([column, Number(expected)]);
    else if (expected === '-') {
      // A server that answers everything has no match that tells.
      if (answer.status === 200 && !ignores) expect([column, shown, answer.body.total ?? 0]).toEqual([column, [], 0]);
    } else if (ignores) expect([column, shown]).toEqual([column, expect.arrayContaining(expected.split(' '))]);
    else expect([column, shown.sort()]).toEqual([column, expected.split(' ').sort()]);
  }

  it.each(here(linesOf(tableReads)).map(([path = '', ...cells]) => [path, cells] as const))(
    'gets by %s',
    async (path, cells) => {
      for (const [column, expected] of cellsOf(cells)) await expectAnswer(column, expected, path);
    },
  );

  it.each(here(tableForms))('gets by %s with %j', async (path, init, cells) => {
    for (const [column, expected] of cellsOf(cells.split(' | '))) await expectAnswer(column, expected, path, init);
  });

  it.each(
    here(linesOf(tableConditions)).map(
      ([path = '', name = '', value = '', ...cells]) => [path, name, value, cells] as const,
    ),
  )('gets %s with %s: %s', async (path, name, value, cells) => {
    for (const [column, expected] of cellsOf(cells)) {
      kim.be(stateOf(column));
      expect([column, (await kim.ask(path, { headers: { [name]: value } })).status]).toEqual([
        column,
        Number(expected),
      ]);
    }
  });

  it.each(here(tableChanges.map((one, index) => [`${index}: ${one.method} ${one.path}`, one] as const)))(
    'asks for the change %s',
    async (_name, { method, path, body, expected: cells, headers }) => {
      for (const [column, expected] of cellsOf(cells.split(' '))) {
        kim.be(stateOf(column));
        const init = body === undefined ? { method } : { method, headers, body: JSON.stringify(body) };
        const { status } = await kim.ask(path, init);
        if (expected === 'no') expect([column, status >= 400]).toEqual([column, true]);
        else expect([column, status]).toEqual([column, Number(expected)]);
        expect([column, kim.sent.length]).toEqual([column, status < 300 ? 1 : 0]);
      }
    },
  );

  it.each(here(tableTokens))('gets with %s %j by %s: %s', async (scope, facts, path, cells) => {
    const own = Object.fromEntries(
      Object.entries(facts).map(([name, value]) => [
        name,
        typeof value === 'string' && name === 'fhirUser' ? `${kim.gateway.base}/${value}` : value,
      ]),
    );
    const token = kim.tokenFor(scope, own);
    for (const [column, expected] of cellsOf(cells.split(' '))) {
      const state = stateOf(column);
      kim.be(state);
      const answer = await kim.ask(path, {}, token);
      expect([column, placesIn(answer).filter((place) => !isOpen(place, state))]).toEqual([column, []]);
      const shown = placesIn(answer).map((place) => place.split('/')[1] ?? '');
      const found = answer.status === 200 && path.includes('?') ? shown.join() : String(answer.status);
      if (expected === 'no') expect([column, answer.status >= 400]).toEqual([column, true]);
      else if (!ignores || /^\d+$/.test(expected)) expect([column, found]).toEqual([column, expected]);
    }
  });
});
