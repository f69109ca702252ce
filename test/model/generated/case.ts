import type { Asked, Query, Resource, StepUpRule, Token } from '../decision/world.js';
import type { Data } from '../run/data.js';
import { askedOfRecord } from './acting.js';
import { askedToRefer, changeOf } from './change.js';
import { askedOfMixed } from './mixed.js';
import { Random } from './random.js';
import { anyType, generatedData, laboratory, patients } from './resources.js';
import { searchOf, trimming } from './search.js';
import { askedTogether } from './together.js';
import { tokenOf } from './token.js';

/** One question to the gateway and to the model. */
export interface Case {
  data: Data;
  token: Token;
  asked: Asked;
  /** True where the gateway demands a stronger sign-in for some requests, see {@link stepUpRules}. */
  stepsUp: boolean;
  /** True where no account may act for a patient, before a server that can do little. */
  isBare?: boolean;
  /** The matches on a page of the server; absent for one that has all on one page. */
  onPage?: number;
}

export const stepUpRules: readonly StepUpRule[] = [
  {
    actions: 'rs',
    types: [`Observation?category=${laboratory}`, 'Condition', 'DocumentReference?category=survey'],
    acr: 'aal2',
  },
  { actions: 'cud', types: ['Observation?category=laboratory,survey', 'Task'], maxAge: 300 },
  { actions: 'd', types: ['*'], acr: 'phr' },
];

/** So many cases are about the same data. */
const casesOfData = 64;
let known: { number: number; data: Data } | undefined;

/** The case of a seed, always the same. */
export function caseOf(seed: number): Case {
  const number = Math.floor(seed / casesOfData);
  if (known?.number !== number) known = { number, data: generatedData(new Random(number)) };
  const { data } = known;
  const random = new Random(seed + 0x5bd1e995);
  const stepsUp = random.percent(25);
  const bare = random.percent(8) && { stepsUp: false, isBare: true };
  const pick = random.below(100);
  if (pick < 20) {
    const of = askedOfRecord(random, data);
    return { data, ...of, stepsUp, ...bare, ...(!stepsUp && pagesFor(random, of.asked)) };
  }
  if (pick < 25) return { data, ...askedOfMixed(random, data), stepsUp, ...bare };
  if (pick < 29) return { data, ...askedTogether(random, data), stepsUp, ...bare };
  if (pick < 31) return { data, ...askedToRefer(random, data), stepsUp, ...bare };
  const asked = askedOf(random, data);
  const paged = stepsUp ? {} : pagesFor(random, asked);
  return { data, token: tokenOf(random, asked), asked, stepsUp, ...bare, ...paged };
}

/** Some searches are answered in pages; their requests may say how long these are. */
function pagesFor(random: Random, asked: Asked): Partial<Case> {
  const { interaction, operation, query } = asked;
  const isListed = interaction === 'search' ? operation === undefined : operation === 'everything';
  const isPlain = query.every(([name]) => !/^_(?:rev)?include|^_count|^_summary/.test(name));
  if (!isListed || !isPlain || !random.percent(30)) return {};
  const count: Query = random.percent(50) ? [['_count', random.of(['1', '2', '3', '200'])]] : [];
  return { asked: { ...asked, query: [...query, ...count] }, onPage: random.of([1, 2, 3, 5]) };
}

/** A place of the data, or one that is not there. */
function placeOf(random: Random, data: Data): { type: string; id: string } {
  if (random.percent(5)) return { type: anyType(random), id: 'none' };
  const [type = '', id = ''] = random.of(Object.keys(data.versions)).split('/');
  return { type, id };
}

function askedOf(random: Random, data: Data, isPart = false): Asked {
  const { type, id } = placeOf(random, data);
  const kind = random.below(isPart ? 86 : 100);
  if (kind < 14) return { interaction: 'read', type, id, query: trimming(random, 6), ...formOf(random, type) };
  if (kind < 18) {
    const version = random.of(['1', '2', '1']);
    return { interaction: 'vread', type, id, version, query: [], ...formOf(random, type) };
  }
  if (kind < 22) return { interaction: 'history-instance', type, id, query: random.percent(5) ? [['code', 'x']] : [] };
  if (kind < 23) return { interaction: 'history-type', type, query: [] };
  if (kind < 50) return searchOf(random, data, type);
  if (kind < 80) return changeOf(random, data, type, id);
  if (kind < 90) return operationOf(random, data);
  const parts = random.list(1, 3, () => askedOf(random, data, true));
  if (kind < 94) return { interaction: 'batch', type: '', query: [], parts: parts.map(withoutPatch) };
  return { interaction: 'transaction', type: '', query: [], parts: transactionOf(random, data) };
}

/** Of a read: the version that the app has, and a Binary as its content. */
function formOf(random: Random, type: string): Pick<Asked, 'known' | 'asContent'> {
  return {
    ...(random.percent(8) && { known: random.of(['W/"1"', 'W/"2"', '"1"x']) }),
    ...(type === 'Binary' && random.percent(50) && { asContent: true }),
  };
}

/** FHIR has no patches of JSON in a Bundle, and a search in one is by GET. */
function withoutPatch({ byPost, ...part }: Asked): Asked {
  if (part.operation === 'meta' && byPost) return { ...part, byPost };
  return part.interaction === 'patch'
    ? { interaction: 'read', type: part.type, id: part.id ?? 'none', query: [] }
    : part;
}

function transactionOf(random: Random, data: Data): Asked[] {
  const names = ['urn:uuid:0c3151bd-1cbf-4d64-b04d-cd9187a4c6e1', 'urn:uuid:0c3151bd-1cbf-4d64-b04d-cd9187a4c6e2'];
  return random
    .list(1, 3, () => random.below(100))
    .map((pick, index) => {
      const { type, id } = placeOf(random, data);
      if (pick < 8) return { interaction: 'read', type, id, query: [] };
      if (pick < 20) return withoutPatch({ ...searchOf(random, data, type), byPost: false });
      if (pick >= 94) return operationOf(random, data);
      const change = withoutPatch(
        changeOf(random, data, pick < 30 ? random.of(['Binary', 'DocumentReference', 'Observation']) : type, id),
      );
      const name = names[index];
      if (change.interaction !== 'create' || name === undefined) return change;
      const body = { ...(change.body as Resource) };
      if (random.percent(40))
        body.encounter = { reference: random.of([...names, 'urn:uuid:0c3151bd-1cbf-4d64-b04d-cd9187a4c6e9']) };
      if (type === 'DocumentReference' || random.percent(10))
        body.content = [{ attachment: { url: random.of(names) } }];
      return { ...change, body, name };
    });
}

function operationOf(random: Random, data: Data): Asked {
  const id = random.of([...patients, undefined, 'none']);
  const own = id === undefined ? {} : { id };
  switch (random.below(6)) {
    case 0:
    case 1:
    case 2: {
      const query: Query = random.percent(15)
        ? [['_type', random.of(['Observation', 'Condition,Patient', 'Location'])]]
        : [];
      const form = random.percent(15) && { byPost: true };
      return { interaction: 'operation', operation: 'everything', type: 'Patient', ...own, query, ...form };
    }
    case 3:
      return {
        ...{ interaction: 'operation', operation: 'export', type: random.of(['*', 'Patient']) },
        query: random.percent(10) ? [[random.of(['_type', '_typeFilter']), 'Observation']] : [],
        ...(random.percent(15) && { byPost: true }),
      };
    case 4:
      return {
        interaction: 'operation',
        operation: random.of(['meta', 'meta', 'unknown']),
        type: 'Patient',
        id: 'p1',
        query: [],
        ...(random.percent(50) && { byPost: true }),
      };
    default:
      return { interaction: 'operation', operation: 'meta', type: placeOf(random, data).type, query: [] };
  }
}
