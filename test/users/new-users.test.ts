import type { ProblemBody } from '../../src/contract/problem.js';
import type { UserView } from '../../src/contract/users/users.js';
import { Agent, type Answer } from '../support/http/agent.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { people } from '../support/users/people.js';

let portal: TestPortal;
let admin: Agent;

const form = {
  fullName: 'Lena Marsh',
  email: 'lena.marsh@example.org',
  userType: 'Patient',
  claims: [{ name: 'fhirUser', value: 'Patient/77' }],
};

async function signedIn({ email, password }: { email: string; password: string }): Promise<Agent> {
  const agent = new Agent(portal.issuer);
  const { status } = await agent.post('/api/session/login', { username: email, password });
  expect(status).toBe(200);
  return agent;
}

function errorsOf(answer: Answer): ProblemBody['errors'] {
  return answer.json<ProblemBody & Record<string, unknown>>().errors;
}

beforeAll(async () => {
  portal = await startPortal({ config: { users: [people.admin, people.patient] } });
  admin = await signedIn(people.admin);
});

afterAll(() => portal.close());

describe('POST /api/admin/user', () => {
  it('creates an account without a password', async () => {
    const answer = await admin.post('/api/admin/user', form);
    expect(answer.status).toBe(201);
    const { id, ...view } = answer.json<UserView & Record<string, unknown>>();
    expect(view).toEqual({ ...form, emailConfirmed: false, isExternal: false, version: 1 });
    expect(await portal.query('SELECT id, password_hash FROM account WHERE email = $1', [form.email])).toEqual([
      { id, password_hash: null },
    ]);
  });

  it('refuses an address that is taken, in any case', async () => {
    const answer = await admin.post('/api/admin/user', { ...form, email: people.patient.email.toUpperCase() });
    expect(answer.status).toBe(409);
    expect(errorsOf(answer)).toEqual([
      { field: 'email', messages: ['A user with this e-mail address already exists.'] },
    ]);
  });

  it('accepts an address for one of several simultaneous callers', async () => {
    const email = 'twice@example.org';
    const answers = await Promise.all([1, 2, 3, 4].map(() => admin.post('/api/admin/user', { ...form, email })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
  });

  it.each(['id', 'isAdmin', 'emailConfirmed', 'passwordHash', 'isExternal'])(
    'I-04 refuses a body with %s',
    async (member) => {
      const answer = await admin.post('/api/admin/user', { ...form, email: 'other@example.org', [member]: true });
      expect([answer.status, errorsOf(answer)[0]?.field]).toEqual([400, member]);
    },
  );

  it.each<[string, object, string, string]>([
    ['I-04 an administrator', { userType: 'Admin' }, 'userType', 'The user type must be Patient or Practitioner.'],
    ['no address', { email: null }, 'email', 'The Email field is required.'],
    ['no claims', { claims: [] }, 'claims', 'The fhirUser claim is mandatory'],
    [
      'I-09 a query',
      { claims: [{ name: 'fhirUser', value: 'Patient/1?x' }] },
      'claims.0.value',
      "Provide the 'Patient' id in the fhirUser claim.",
    ],
    ['NUL in the name', { fullName: 'a\u0000b' }, 'fullName', 'Please enter a valid value'],
    [
      'half a character in the address',
      { email: 'a\ud800@example.org' },
      'email',
      'The Email field is not a valid e-mail address',
    ],
  ])('refuses %s', async (_what, change, field, message) => {
    const answer = await admin.post('/api/admin/user', { ...form, email: 'other@example.org', ...change });
    expect([answer.status, errorsOf(answer)]).toEqual([400, [{ field, messages: [message] }]]);
  });

  it('I-02 requires an administrator', async () => {
    expect((await new Agent(portal.issuer).post('/api/admin/user', form)).status).toBe(401);
    expect((await (await signedIn(people.patient)).post('/api/admin/user', form)).status).toBe(403);
  });
});

describe('signing in with a password', () => {
  const signIn = (username: string) =>
    new Agent(portal.issuer).post('/api/session/login', { username, password: 'wrong password' });

  it('F-01 answers the same for an unknown address, an account without a password, and a wrong password', async () => {
    const wrong = await signIn(people.patient.email);
    expect(wrong.status).toBe(401);
    for (const username of [form.email, 'no-account@example.org', 'no address', 'a\ud800@example.org']) {
      const other = await signIn(username);
      expect([other.status, other.text]).toEqual([wrong.status, wrong.text]);
    }
  });

  it('reports missing fields by the messages of the form', async () => {
    const answer = await new Agent(portal.issuer).post('/api/session/login', {});
    expect([answer.status, errorsOf(answer)]).toEqual([
      400,
      [
        { field: 'username', messages: ['Email cannot be empty'] },
        { field: 'password', messages: ['Password cannot be empty'] },
      ],
    ]);
  });

  it('accepts the address in any case', async () => {
    await signedIn({ ...people.patient, email: people.patient.email.toUpperCase() });
  });
});
