/** Users from a CSV file: the check of its lines, and the import, which creates and invites each user once. */
import { randomUUID } from 'node:crypto';
import type { ImportCheck, ImportProgress } from '../../src/contract/users/user-import.js';
import { UserImporting } from '../../src/users/application/import/user-importing.js';
import { type MailSink, startMailSink } from '../support/mail-sink.js';
import { type AdminPortal, startAdminPortal } from '../support/portal/admin-portal.js';
import { until } from '../support/until.js';

const path = '/api/admin/user/import';
const header = 'name,email,type,fhir_user';
let mails: MailSink;
let portal: AdminPortal;

beforeAll(async () => {
  mails = await startMailSink();
  portal = await startAdminPortal({ fhirServer: false, config: { email: mails.config } });
});
afterAll(async () => {
  await portal.close();
  await mails.stop();
});

const line = (name: string, more = '') =>
  `${name} Abel,${name.toLowerCase()}@import.example,Patient,Patient/${name}${more}`;
const file = (...lines: string[]) => [header, ...lines].join('\n');

async function check(csv: string): Promise<ImportCheck> {
  return (await portal.api.post(path).send({ csv }).expect(200)).body;
}

async function refusal(csv: string): Promise<string> {
  const { status, body } = await portal.api.post(path).send({ csv });
  expect(status).toBe(400);
  return body.errors[0].messages[0];
}

const begin = (id: string, csv: string) => portal.api.put(`${path}/${id}`).send({ csv });

async function finished(id: string): Promise<ImportProgress> {
  let progress: ImportProgress | undefined;
  await until(async () => {
    progress = (await portal.api.get(`${path}/${id}`).expect(200)).body as ImportProgress;
    return progress.done === progress.total;
  });
  return progress as ImportProgress;
}

const wrongOf = ({ wrong }: ImportCheck) =>
  wrong.map(({ line: number, problems }) => [
    number,
    ...problems.map(({ column, messages }) => [column, messages[0]?.code]),
  ]);

const usersOf = (domain: string) =>
  portal.query<{ email: string; full_name: string; user_type: string; claims: { name: string; value: string }[] }>(
    'SELECT email, full_name, user_type, claims FROM account WHERE email LIKE $1 ORDER BY email',
    [`%@${domain}`],
  );

const mailsTo = (domain: string) =>
  mails.received
    .flatMap(({ to }) => to)
    .filter((to) => to.endsWith(`@${domain}`))
    .sort();

describe('The check of a file', () => {
  it('says what would be created, and changes nothing', async () => {
    const before = await portal.query('SELECT count(*) FROM account');
    const events = await portal.query('SELECT count(*) FROM audit_event');
    expect(await check(file(line('Ada'), line('Bert')))).toEqual({
      separator: ',',
      header: header.split(','),
      ignored: [],
      total: 2,
      fresh: 2,
      known: [],
      wrong: [],
    });
    expect(await portal.query('SELECT count(*) FROM account')).toEqual(before);
    expect(await portal.query('SELECT count(*) FROM audit_event')).toEqual(events);
    expect(await portal.query('SELECT FROM user_import')).toEqual([]);
  });

  it('names each wrong line with its column and the reason of the form of a new user', async () => {
    const csv = file(
      line('Ada'),
      ',nowhere,Doctor,Patient/1',
      'Carl,carl@import.example,practitioner,Patient/1',
      '',
      line('Ada'),
      'too,few',
      `${'x'.repeat(201)},long@import.example,Patient,Patient/a b`,
    );
    expect(wrongOf(await check(csv))).toEqual([
      [3, ['email', 'email-invalid'], ['name', 'field-required'], ['type', 'user-type-invalid']],
      [4, ['fhir_user', 'fhir-user-type']],
      [6, ['email', 'import-same-address']],
      [7, [null, 'import-cells']],
      [8, ['name', 'too-long'], ['fhir_user', 'fhir-user-id']],
    ]);
    const form = {
      fullName: '',
      email: 'nowhere',
      userType: 'Doctor',
      claims: [{ name: 'fhirUser', value: 'Patient/1' }],
    };
    const { body } = await portal.api.post('/api/admin/user').send(form).expect(400);
    expect(body.codes.map(({ code }: { code: string }) => code)).toEqual([
      'email-invalid',
      'field-required',
      'user-type-invalid',
    ]);
  });

  it.each([
    [
      'semicolons, a byte order mark and CRLF',
      '\uFEFFname;email;type;fhir_user\r\n"Abel; Ada";a@sep.example;Patient;Patient/1\r\n',
      'Abel; Ada',
    ],
    [
      'the line of Excel that names its separator',
      'sep=;\r\nname;email;type;fhir_user\r\n"Abel, Ada";a@sep.example;Patient;Patient/1\r\n',
      'Abel, Ada',
    ],
    [
      'such a line in quotes after a byte order mark, with more commas below',
      '\uFEFF"SEP=\t"\nname\temail\ttype\tfhir_user\tx,y,z,u,v\nAda\ta@sep.example\tPatient\tPatient/1\t1',
      'Ada',
    ],
    ['tabs', 'name\temail\ttype\tfhir_user\nAbel, Ada\ta@sep.example\tPatient\tPatient/1', 'Abel, Ada'],
    ['quotes within quotes', `${header}\n"Ada ""A"" Abel",a@sep.example,Patient,Patient/1\n\n`, 'Ada "A" Abel'],
    ['a stray quote', `${header}\nAda "A" Abel,a@sep.example,Patient,Patient/1`, 'Ada "A" Abel'],
    [
      'columns in another order, by other names',
      'FHIR user,E-mail,Role,Full name\nPatient/1,a@sep.example,patient,Ada',
      'Ada',
    ],
    ['the apostrophe of our exports', `${header}\n'=Ada,a@sep.example,Patient,Patient/1`, '=Ada'],
  ])('understands %s', async (_what, csv, name) => {
    expect(await check(csv)).toMatchObject({ total: 1, fresh: 1, wrong: [] });
    const id = randomUUID();
    await begin(id, csv).expect(200);
    await finished(id);
    expect(await usersOf('sep.example')).toEqual([expect.objectContaining({ full_name: name, user_type: 'Patient' })]);
    await portal.query("DELETE FROM account WHERE email LIKE '%@sep.example'");
  });

  it('takes further claims from columns, and says which columns it does not take', async () => {
    const csv = `${header},claim:tenant,id\nAda,ada@claims.example,Patient,Patient/1,north,17\nBert,bert@claims.example,Patient,Patient/2,,18`;
    expect(await check(csv)).toMatchObject({ fresh: 2, ignored: ['id'] });
    expect(wrongOf(await check(csv.replace('claim:tenant', 'claim:sub')))).toEqual([
      [2, ['claim:sub', 'claim-reserved']],
    ]);
    const id = randomUUID();
    await begin(id, csv).expect(200);
    await finished(id);
    expect((await usersOf('claims.example')).map(({ claims }) => claims.map(({ name }) => name))).toEqual([
      ['fhirUser', 'tenant'],
      ['fhirUser'],
    ]);
  });

  it('counts the lines of quoted cells, and names the line in which a quotation mark is not closed', async () => {
    const csv = file('"Ada\r\nAbel",ada@import.example,Patient,Patient/1', ',b@import.example,Patient,Patient/1');
    expect(wrongOf(await check(csv)).map(([number]) => number)).toEqual([2, 4]);
    expect(await refusal(file(line('Ada'), '"Bert,b@import.example,Patient,Patient/1', line('Carl')))).toBe(
      'A quotation mark in the record that begins in line 3 is not closed.',
    );
  });

  it('refuses a file without columns or users, with too many of them, or that is not a text', async () => {
    expect(await refusal('')).toBe('There is no line with a user below the header.');
    expect(await refusal(header)).toBe('There is no line with a user below the header.');
    expect(await refusal('a,email\n1,2')).toBe(
      'The header has no column name, type, fhir_user. The first line must name the columns.',
    );
    expect(await refusal(`${header}\n\u0000`)).toBe('This is not a text file.');
    const many = (count: number) =>
      file(...Array.from({ length: count }, (_, at) => `Ada,a${at}@many.example,Patient,Patient/${at}`));
    expect(await refusal(many(5_001))).toBe('The file has more than 5000 users. Please divide it.');
    expect((await check(many(5_000))).fresh).toBe(5_000);
    expect(await refusal('x'.repeat(1_000_001))).toBe('The file has more than 1000000 characters. Please divide it.');
    expect((await portal.api.post(path).send({ csv: 'x'.repeat(3_000_000) })).status).toBe(413);
    expect((await portal.api.post('/api/admin/user').send({ fullName: 'x'.repeat(300_000) })).status).toBe(413);
  });
});

describe('The import', () => {
  it('creates and invites the new users as Add user does, and leaves out those that are wrong or known', async () => {
    const known = { fullName: 'Known', email: 'known@import.example', userType: 'Patient' };
    await portal.api
      .post('/api/admin/user')
      .send({ ...known, claims: [{ name: 'fhirUser', value: 'Patient/9' }] })
      .expect(201);
    const csv = file(line('Ada'), line('Bert'), 'Known,KNOWN@import.example,Patient,Patient/9', ',x,y,z');
    expect(await check(csv)).toMatchObject({ total: 4, fresh: 2, known: [{ line: 4, email: 'KNOWN@import.example' }] });
    const id = randomUUID();
    await begin(id, csv).expect(200);
    expect(await finished(id)).toEqual({
      ...{ total: 2, done: 2, created: 2, known: 0, refused: 0, stopped: 0 },
      ...{ removable: 2, isUndone: false, removed: 0, stayed: 0, kept: [] },
    });
    await mails.to('ada@import.example');
    await mails.to('bert@import.example');
    const [ada] = await usersOf('import.example');
    expect(ada).toEqual({
      email: 'ada@import.example',
      full_name: 'Ada Abel',
      user_type: 'Patient',
      claims: [{ name: 'fhirUser', value: 'Patient/Ada' }],
    });
    const events = await portal.query<{ type: string; user_id: string; detail: object }>(
      "SELECT type, user_id, detail FROM audit_event WHERE type IN ('users.imported', 'user.created') ORDER BY recorded_at DESC LIMIT 3",
    );
    const [admin] = await portal.query<{ id: string }>("SELECT id FROM account WHERE user_type = 'Admin'");
    expect(events.map(({ type, user_id }) => [type, user_id])).toEqual([
      ['user.created', admin?.id],
      ['user.created', admin?.id],
      ['users.imported', admin?.id],
    ]);
    expect(events[2]?.detail).toEqual({ import: id, new: 2, known: 1, wrong: 1 });
    // The typed data about the persons is not kept with the import.
    expect(await portal.query('SELECT FROM user_import_line WHERE form IS NOT NULL')).toEqual([]);
  });

  it('invites each user once, though the call is repeated, and the file is imported by another call at the same time', async () => {
    const names = Array.from({ length: 60 }, (_, at) => `Twin${at}`);
    const csv = file(...names.map((name) => line(name).replace('@import.', '@twins.')));
    const [one, other] = [randomUUID(), randomUUID()];
    const answers = await Promise.all([begin(one, csv), begin(one, csv), begin(other, csv), begin(one, csv)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const [first, second] = [await finished(one), await finished(other)];
    expect([first.created + second.created, first.refused + second.refused]).toEqual([60, 0]);
    expect(await usersOf('twins.example')).toHaveLength(60);
    await until(() => mailsTo('twins.example').length >= 60);
    expect(new Set(mailsTo('twins.example')).size).toBe(mailsTo('twins.example').length);
    const jobs = () => portal.query("SELECT FROM job WHERE kind IN ('user-imports', 'mail')");
    await until(async () => (await jobs()).length === 0);
    expect(mailsTo('twins.example')).toHaveLength(60);
  });

  it('continues where a node that was killed has ended, without a second user or mail', async () => {
    const names = Array.from({ length: 50 }, (_, at) => `Lost${at}`);
    const csv = file(...names.map((name) => line(name).replace('@import.', '@lost.')));
    const worker = portal.apps[0]?.get(UserImporting, { strict: false }) as unknown as {
      invitations: { inviteUser: (form: object) => Promise<unknown> };
    };
    const { inviteUser } = worker.invitations;
    let calls = 0;
    // As if the node ended within the second batch, whose transaction is lost, and another one repeated the attempt.
    worker.invitations.inviteUser = async (form) => {
      calls += 1;
      if (calls === 31) throw new Error('the node ended');
      return inviteUser.call(worker.invitations, form);
    };
    const id = randomUUID();
    try {
      await begin(id, csv).expect(200);
      expect(await finished(id)).toMatchObject({ total: 50, created: 50, known: 0 });
    } finally {
      worker.invitations.inviteUser = inviteUser;
    }
    expect(calls).toBeGreaterThan(50);
    await until(() => mailsTo('lost.example').length >= 50);
    expect([new Set(mailsTo('lost.example')).size, mailsTo('lost.example').length]).toEqual([50, 50]);
  });

  it('refuses an id that is no UUID, or that another file or administrator has used', async () => {
    const id = randomUUID();
    await begin(id, file(line('Ada'))).expect(200);
    await begin(id, file(line('Zoe'))).expect(409);
    await begin('1', file(line('Zoe'))).expect(400);
    await portal.api.get(`${path}/${randomUUID()}`).expect(404);
    await portal.api.get(`${path}/1`).expect(404);
    await portal.query("UPDATE user_import SET actor = 'another' WHERE id = $1", [id]);
    await begin(id, file(line('Ada'))).expect(409);
    await portal.api.get(`${path}/${id}`).expect(404);
  });
});
