import { startUpstream, type Upstream } from './gateway.js';

const me = { reference: 'Practitioner/practitioner-1' };
const inhabitants = 100_000;

/** The digits as letters: 4711 is `ehbb`. */
function inLetters(number: number): string {
  return String(number).replace(/\d/g, (digit) => 'abcdefghij'[Number(digit)] ?? '');
}

/** Patient `p{number}`, whose name, date of birth and record number follow from the number. */
function patient(number: number) {
  return {
    resourceType: 'Patient',
    id: `p${number}`,
    name: [{ family: `F${inLetters(number)}`, given: [`G${inLetters(number % 1000)}`] }],
    birthDate: `${1930 + (number % 80)}-05-${String(1 + (number % 28)).padStart(2, '0')}`,
    identifier: [{ type: { coding: [{ code: 'MR' }] }, value: `MR${number}` }],
    generalPractitioner: number % 1000 === 0 ? [me] : [{ reference: 'Practitioner/other' }],
    managingOrganization: { reference: number < 10 ? 'Organization/mine' : 'Organization/other' },
  };
}

const careTeam = (number: number, member: typeof me) => ({
  resourceType: 'CareTeam',
  id: `team${number}`,
  subject: { reference: `Patient/p${number}` },
  participant: [{ member }],
});
const careTeams = [careTeam(7, me), careTeam(70, me), careTeam(71, { reference: 'Practitioner/other' })];
const role = (id: string, practitioner: object, organization: string) => ({
  resourceType: 'PractitionerRole',
  id,
  practitioner,
  organization: { reference: organization },
});
const roles = [
  role('r1', me, 'Organization/mine'),
  role('r2', { reference: 'Practitioner/other' }, 'Organization/other'),
];

const names = ['name', 'birthdate', 'identifier', 'general-practitioner', 'organization', 'family'];
const metadata = {
  resourceType: 'CapabilityStatement',
  fhirVersion: '4.0.1',
  rest: [{ mode: 'server', resource: [{ type: 'Patient', searchParam: names.map((name) => ({ name })) }] }],
};

type Inhabitant = ReturnType<typeof patient>;
const tests: Record<string, (one: Inhabitant, value: string) => boolean> = {
  _id: (one, value) => one.id === value,
  name: (one, value) =>
    [one.name[0]?.family, ...(one.name[0]?.given ?? [])].some((part) =>
      part?.toLowerCase().startsWith(value.toLowerCase()),
    ),
  birthdate: (one, value) => one.birthDate === value,
  identifier: (one, value) => one.identifier.some((identifier) => value.split(/(?<!\\),/).includes(identifier.value)),
  'general-practitioner': (one, value) => one.generalPractitioner.some(({ reference }) => reference === value),
  organization: (one, value) => value.split(',').includes(one.managingOrganization.reference),
  '_has:CareTeam:patient:participant': (one, value) =>
    careTeams.some(
      ({ subject, participant }) =>
        subject.reference === `Patient/${one.id}` && participant.some(({ member }) => member.reference === value),
    ),
};

export interface LargeFhirServer extends Upstream {
  /** True if later searches ignore their conditions. */
  ignoresConditions: boolean;
  /** The base in links to further pages, where it is not the server's own. */
  pagesAt: string | undefined;
}

/** A FHIR server with 100,000 patients, and opaque links to further pages. */
export async function startLargeFhirServer(): Promise<LargeFhirServer> {
  const all = Array.from({ length: inhabitants }, (_, number) => patient(number));
  const searches: Inhabitant[][] = [];
  const server = { ignoresConditions: false } as LargeFhirServer;
  const upstream = await startUpstream(({ url = '' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://server');
    const answer = (body: object) =>
      response.writeHead(200, { 'Content-Type': 'application/fhir+json' }).end(JSON.stringify(body));
    const searchset = (entry: object[], link: object[] = []) =>
      answer({ resourceType: 'Bundle', type: 'searchset', link, entry: entry.map((resource) => ({ resource })) });
    const page = (search: number, offset: number) => {
      const found = searches[search] ?? [];
      const next = { relation: 'next', url: `${server.pagesAt ?? upstream.url}?_getpages=${search}&o=${offset + 50}` };
      return searchset(found.slice(offset, offset + 50), offset + 50 < found.length ? [next] : []);
    };
    if (pathname === '/r4/metadata') return answer(metadata);
    if (pathname === '/r4/CareTeam') return searchset(careTeams);
    if (pathname === '/r4/PractitionerRole') return searchset(roles);
    if (pathname === '/r4') return page(Number(searchParams.get('_getpages')), Number(searchParams.get('o')));
    const conditions = [...searchParams].filter(([name]) => Object.hasOwn(tests, name) && !server.ignoresConditions);
    const found = all.filter((one) => conditions.every(([name, value]) => tests[name]?.(one, value)));
    return page(searches.push(found) - 1, 0);
  });
  return Object.assign(server, upstream);
}
