import { pino } from 'pino';
import { log } from '../../../src/platform/logging/log.js';
import { Agent } from '../../support/http/agent.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { people } from '../../support/users/people.js';

const { admin, patient } = people;
const invited = {
  fullName: 'Zora Quillfeather',
  email: 'zora.quillfeather@example.org',
  userType: 'Patient',
  claims: [{ name: 'fhirUser', value: 'Patient/quillfeather' }],
};

let portal: TestPortal;
let browser: Agent;
let lines: string[];
let restore: () => void;

beforeAll(async () => {
  portal = await startPortal({ config: { users: [admin, patient] } });
  browser = new Agent(portal.issuer);
  await browser.post('/api/session/login', { username: admin.email, password: admin.password });
});

beforeEach(() => {
  lines = [];
  const stream = (log as unknown as Record<symbol, { write(line: string): unknown }>)[pino.symbols.streamSym];
  if (!stream) throw new Error('the log has no stream');
  const { write } = stream;
  stream.write = (line) => lines.push(line);
  log.level = 'info';
  restore = () => {
    stream.write = write;
    log.level = 'silent';
  };
});

afterEach(() => restore());

afterAll(() => portal.close());

/** Makes each insert of an account fail with this SQLSTATE. */
const breakInserts = (state: string) =>
  portal.query(`CREATE OR REPLACE FUNCTION broken() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'broken on purpose' USING ERRCODE = '${state}', DETAIL = 'row of ' || NEW.email; END $$;
    CREATE OR REPLACE TRIGGER broken BEFORE INSERT ON account FOR EACH ROW EXECUTE FUNCTION broken()`);

describe('N-06 An internal error', () => {
  it.each([
    ['of an unexpected kind', '23514', 500],
    ['of the database', '57P01', 503],
  ])('%s is logged with its cause and without personal data', async (_what, state, status) => {
    await breakInserts(state);
    expect((await browser.post('/api/admin/user', invited)).status).toBe(status);
    const written = lines.join('');
    expect(written).toContain('broken on purpose');
    expect(written).toContain(`"code":"${state}"`);
    expect(written).toContain('INSERT INTO');
    expect(written.toLowerCase()).not.toContain('quillfeather');
  });

  it('during a sign-in is logged without the user’s name or address', async () => {
    await portal.query('ALTER TABLE account RENAME COLUMN created_at TO created_at_away');
    const answer = await new Agent(portal.issuer).post('/api/session/login', {
      username: patient.email,
      password: patient.password,
    });
    expect(answer.status).toBe(500);
    expect(lines.join('')).toContain('created_at does not exist');
    expect(lines.join('')).not.toContain(patient.email);
  });
});
