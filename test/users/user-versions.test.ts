import type { ProblemBody } from '../../src/contract/problem.js';
import type { UserView } from '../../src/contract/users/users.js';
import { Agent } from '../support/http/agent.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { runs } from '../support/runs.js';
import { login } from '../support/users/authenticator.js';
import { people } from '../support/users/people.js';

const path = '/api/admin/user';
const secondAdmin = { ...people.admin, email: 'olga.admin@example.org', password: 'granite-lantern-5561' };
const fhirUser = (value: string) => [{ name: 'fhirUser', value }];

let portal: TestPortal;
let first: Agent;
let second: Agent;

beforeAll(async () => {
  portal = await startPortal({ nodes: 2, config: { users: [people.admin, secondAdmin, people.patient] } });
  first = new Agent(portal.issuer, portal.ports[0]);
  second = new Agent(portal.issuer, portal.ports[1]);
  await login(first, people.admin);
  await login(second, secondAdmin);
});

afterAll(() => portal.close());

let users = 0;
async function created(): Promise<UserView> {
  users += 1;
  const form = { fullName: 'Lena Marsh', userType: 'Patient', claims: fhirUser('Patient/77') };
  const answer = await first.post(path, { ...form, email: `lena.${users}@example.org` });
  expect(answer.status).toBe(201);
  return answer.json<UserView & Record<string, unknown>>();
}

const formOf = ({ fullName, userType, claims, version }: UserView) => ({ fullName, userType, claims, version });
const put = (by: Agent, id: string, body: object) => by.send(`${path}/${id}`, { method: 'PUT', body });
const stored = async (id: string) => (await first.get(`${path}/${id}`)).json<UserView & Record<string, unknown>>();

describe('When two administrators change one user', () => {
  it('I-08 the later one gets the differences, and the earlier change is kept', async () => {
    const user = await created();
    const corrected = { ...formOf(user), claims: fhirUser('Patient/78') };
    const earlier = await put(first, user.id, corrected);
    expect([earlier.status, earlier.json().version]).toEqual([200, 2]);
    const later = await put(second, user.id, { ...formOf(user), fullName: 'Lena Reed' });
    expect(later.status).toBe(409);
    const { title, message, conflict } = later.json<ProblemBody & Record<string, unknown>>();
    expect([title, message]).toEqual([
      'Conflict',
      'The user was changed in the meantime. Please refresh the page and try again.',
    ]);
    expect(conflict).toEqual({
      version: 2,
      differences: [
        { field: 'fullName', stored: 'Lena Marsh', sent: 'Lena Reed' },
        { field: 'claims', stored: fhirUser('Patient/78'), sent: fhirUser('Patient/77') },
      ],
    });
    expect(await stored(user.id)).toMatchObject({ fullName: 'Lena Marsh', claims: fhirUser('Patient/78'), version: 2 });
  });

  it('I-08 one request succeeds and each other gets a conflict, however many save at once over both nodes', async () => {
    for (let round = 0; round < runs(3, 100).numRuns; round += 1) {
      const user = await created();
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          put(n % 2 ? first : second, user.id, { ...formOf(user), fullName: `Racer ${n}` }),
        ),
      );
      const won = answers.flatMap(({ status }, n) => (status === 200 ? [`Racer ${n}`] : []));
      expect(answers.filter(({ status }) => status === 409)).toHaveLength(19);
      expect(won).toEqual([(await stored(user.id)).fullName]);
      expect((await stored(user.id)).version).toBe(2);
    }
  });

  it('I-08 a change without a version is applied', async () => {
    const user = await created();
    const { version: _, ...form } = formOf(user);
    for (const fullName of ['Lena One', 'Lena Two']) {
      expect((await put(second, user.id, { ...form, fullName })).status).toBe(200);
    }
    expect(await stored(user.id)).toMatchObject({ fullName: 'Lena Two', version: 3 });
  });

  it.each([0, -1, 1.5, '1', [1]])('I-08 a version of %j is refused', async (version) => {
    const user = await created();
    expect((await put(first, user.id, { ...formOf(user), version })).status).toBe(400);
  });
});

it('I-08 an older form does not overwrite the name that the user has changed meanwhile', async () => {
  const person = new Agent(portal.issuer);
  await login(person, people.patient);
  const [row] = await portal.query<{ id: string }>('SELECT id FROM account WHERE email = $1', [people.patient.email]);
  const before = await stored(row?.id ?? '');
  await person.send('/api/user', { method: 'PUT', body: { fullName: 'Amelia Hart' } });
  const answer = await put(first, before.id, { ...formOf(before), claims: fhirUser('Patient/2') });
  expect([answer.status, (await stored(before.id)).fullName]).toEqual([409, 'Amelia Hart']);
});
