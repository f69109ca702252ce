import type { UserList, UserView } from '../../src/contract/users/users.js';
import { Agent } from '../support/http/agent.js';
import { type MailSink, startMailSink } from '../support/mail-sink.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { login } from '../support/users/authenticator.js';
import { people } from '../support/users/people.js';

/** In alphabetical order of each script, marks and case second. */
const sorted = [
  'Aaron Ward',
  'ábel Nagy',
  'Abena Osei',
  'Åke Öberg',
  'Zoe\u0301 Reed',
  'zoe Ward',
  'Ωμέγα Παπά',
  'Жанна Ёлкина',
  'أمينة الزهراء',
  'ก้อง ศรี',
  'さくら 田中',
  '王小明',
];

let portal: TestPortal;
let sink: MailSink;
let admin: Agent;

beforeAll(async () => {
  sink = await startMailSink();
  portal = await startPortal({ config: { users: [people.admin], email: sink.config } });
  admin = new Agent(portal.issuer);
  expect((await login(admin, people.admin)).status).toBe(200);
});

afterAll(async () => {
  await portal.close();
  await sink.stop();
});

let counter = 0;
async function create(fullName: string, address?: string) {
  counter += 1;
  const email = address ?? `p${counter}@example.org`;
  const claims = [{ name: 'fhirUser', value: `Practitioner/${counter}` }];
  return admin.post('/api/admin/user', { fullName, email, userType: 'Practitioner', claims });
}

async function listed(query: Record<string, string>): Promise<UserView[]> {
  const answer = await admin.get(`/api/admin/user?${new URLSearchParams(query)}`);
  expect(answer.status).toBe(200);
  return answer.json<UserList & Record<string, unknown>>().users;
}

describe('S-07 A name', () => {
  it('of any script is stored unchanged, sorted and found by any part of it', async () => {
    for (const name of [...sorted].reverse()) expect([name, (await create(name)).status]).toEqual([name, 201]);
    const names = (await listed({ pageSize: '50' })).map(({ fullName }) => fullName);
    expect(names).toEqual(sorted);
    for (const [term, name] of [
      ['小', '王小明'],
      ['الز', 'أمينة الزهراء'],
      ['ÅKE', 'Åke Öberg'],
      ['ёлк', 'Жанна Ёлкина'],
    ] as const) {
      const found = await listed({ searchTerm: term, pageSize: '50' });
      expect(found.map(({ fullName }) => fullName)).toEqual([name]);
    }
  });

  it.each([
    ['nunez', 'José Núñez'],
    ['NÚÑEZ josé', 'José Núñez'],
    ['josé nunéz', 'José Núñez'],
    ['siobhan', 'Siobhán Ó Briain'],
    ['strasse', 'Rosa Straße'],
    ['straße', 'Rosa Straße'],
    ['ødegard', 'Odegård Bjørn'],
    ['bjorn', 'Odegård Bjørn'],
    ['лебедев ё', 'Фёдор Лебедев'],
    ['федор', 'Фёдор Лебедев'],
    ['zoë marlow', 'Zoe Marlow'],
    ['Zoe\u0308 marl', 'Zoe Marlow'],
    ['김민준', '김민준'],
    ['がくた', 'がくた まこ'],
  ])('is found by %j, with accents and without (FHIR R4 §3.1.1.4.8)', async (term, name) => {
    const known = await listed({ searchTerm: name, pageSize: '50' });
    if (known.length === 0) expect((await create(name)).status).toBe(201);
    expect((await listed({ searchTerm: term, pageSize: '50' })).map(({ fullName }) => fullName)).toEqual([name]);
  });

  it.each(['김민주', 'かくた'])('is not found by the other letters %j', async (term) => {
    expect(await listed({ searchTerm: term, pageSize: '50' })).toEqual([]);
  });

  it('may have at most 200 characters of any plane', async () => {
    const longest = '𠮷'.repeat(200);
    const created = await create(longest);
    expect([created.status, created.json<UserView & Record<string, unknown>>().fullName]).toEqual([201, longest]);
    expect((await create(`${longest}𠮷`)).status).toBe(400);
  });

  it('that many users share appears once for each of them over the pages of a list', async () => {
    const ids = new Set<string>();
    for (let count = 0; count < 25; count += 1) {
      const { id } = (await create('Same Nañme')).json<UserView & Record<string, unknown>>();
      ids.add(id);
    }
    const seen: string[] = [];
    for (let page = 1; seen.length < 25; page += 1) {
      seen.push(...(await listed({ searchTerm: 'same nañ', page: String(page) })).map(({ id }) => id));
      if (page > 10) break;
    }
    expect(seen.length).toBe(25);
    expect(new Set(seen)).toEqual(ids);
  });
});

describe('S-07 An e-mail address of an international domain', () => {
  it.each([
    ['maria@xn--bcher-kva.example', 'maria@bücher.example'],
    ['karl@bücher.example', 'karl@xn--bcher-kva.example'],
  ])('%s signs in as %s, and its wrong passwords are counted together', async (email, other) => {
    expect((await create('Maria Long', email)).status).toBe(201);
    await portal.query(
      'UPDATE account SET password_hash = (SELECT password_hash FROM account LIMIT 1) WHERE email = $1',
      [email],
    );
    const signIn = async (username: string, password = people.admin.password) =>
      (await login(new Agent(portal.issuer), { email: username, password })).status;
    expect(await signIn(other)).toBe(200);
    for (let guess = 0; guess < 3; guess += 1) expect(await signIn(email, `wrong password ${guess}`)).toBe(401);
    for (let guess = 0; guess < 2; guess += 1) expect(await signIn(other, `wrong password ${guess}`)).toBe(401);
    expect(await signIn(email)).toBe(429);
  });

  it('is the one of its spelling where an earlier release gave both an account', async () => {
    const [one, second] = ['both@bücher.example', 'both@xn--bcher-kva.example'] as const;
    expect((await create('Both One', one)).status).toBe(201);
    expect((await create('Both Two', 'both@elsewhere.example')).status).toBe(201);
    await portal.query('UPDATE account SET email = $1 WHERE email = $2', [second, 'both@elsewhere.example']);
    await portal.query(
      "UPDATE account SET password_hash = (SELECT password_hash FROM account LIMIT 1) WHERE email LIKE 'both@%'",
    );
    for (const email of [one, second]) {
      const agent = new Agent(portal.issuer);
      expect((await login(agent, { ...people.admin, email })).status).toBe(200);
      expect((await agent.get('/api/session')).json()).toMatchObject({ email });
    }
  });

  it('receives mail, belongs to one account in any case, and is found', async () => {
    const email = 'jörg.müller@bücher.example';
    expect((await create('Jörg Müller', email)).status).toBe(201);
    expect((await create('Jörg Müller', 'JÖRG.MÜLLER@BÜCHER.example')).status).toBe(409);
    expect((await listed({ searchTerm: 'JÖRG BÜCHER' })).map((user) => user.email)).toEqual([email]);
    expect((await create('Ida Field', 'ida@bücher.example')).status).toBe(201);
    expect((await create('Ida Field', 'IDA@xn--bcher-kva.example')).status).toBe(409);
    expect((await create('Otto Long', 'otto@xn--bcher-kva.example')).status).toBe(201);
    expect((await create('Otto Long', 'otto@bücher.example')).status).toBe(409);
    expect((await sink.to('ida@bücher.example')).raw).toMatch(/^To: .*ida@xn--bcher-kva.example/m);
  });
});
