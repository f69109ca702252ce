import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Database } from '../../../src/platform/database/database.js';
import { Mail } from '../../../src/platform/mail/mail.js';
import { linkInMail, type MailSink, startMailSink } from '../../support/mail-sink.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { until } from '../../support/until.js';

const link = 'https://login.example/account/activate?u=1&t=2';
const values = { name: 'Lena Marsh', link, validFor: '72 hours' };

let sink: MailSink;
let portal: TestPortal;

function mailOf(of = portal, node = 0): Mail {
  return of.apps[node]?.get(Mail, { strict: false }) as Mail;
}

/**
 * Ends the pauses of waiting mails, but not the leases of those that a node is sending: a lease lasts two to ten
 * minutes.
 */
async function skipPauses(): Promise<void> {
  await portal.query(`
    UPDATE job SET due_at = now()
     WHERE due_at NOT BETWEEN now() + interval '60 seconds' AND now() + interval '600 seconds'`);
  await portal.query("SELECT pg_notify('gatehouse_jobs', 'mail')");
}

/** Skips pauses repeatedly: an attempt that was already running may still postpone its mail. */
async function arrives(address: string): Promise<void> {
  await until(async () => {
    await skipPauses();
    return sink.received.some(({ to }) => to.includes(address));
  });
}

const outboxIs = (count: number) => until(async () => (await portal.query('SELECT FROM job')).length === count);

const attemptsAre = (count: number) => until(() => sink.attempts >= count);

beforeAll(async () => {
  sink = await startMailSink();
  portal = await startPortal({
    nodes: 2,
    config: { email: sink.config, branding: { organizationTitle: 'St. Mary & Sons', accentColor: '#8A1C4A' } },
  });
});

afterAll(async () => {
  await portal.close();
  await sink.stop();
});

beforeEach(() => {
  sink.received.length = 0;
  sink.attempts = 0;
  sink.behaviour = 'accept';
});

describe('A mail', () => {
  it('has a text and an HTML part in the colours and with the name of the organization', async () => {
    await mailOf().post('activation', 'lena@example.org', values);
    const { from, mail } = await sink.to('lena@example.org');
    expect(from).toBe('portal@example.org');
    expect(mail.from).toMatchObject({ name: 'St. Mary & Sons', address: 'portal@example.org' });
    expect(mail.subject).toBe('Activate your account at St. Mary & Sons');
    expect(mail.text).toContain(`The link works once and for 72 hours:\n\n${link}`);
    expect(mail.html).toContain('background:#8A1C4A');
    expect(mail.html).toContain('St. Mary &amp; Sons');
    expect(mail.html).toContain(`href="${link.replace('&', '&amp;')}"`);
    expect(mail.headers.find(({ key }) => key === 'auto-submitted')?.value).toBe('auto-generated');
  });

  it('has the sender and the EHLO name of the configuration', async () => {
    const from = '"Portal, Harbour Hospital" <noreply@harbour.example>';
    const smtp = { ...sink.config.smtp, ehloName: 'portal.harbour.example' };
    const other = await startPortal({ config: { email: { smtp, from } } });
    await mailOf(other).post('activation', 'noor@example.org', values);
    const received = await sink.to('noor@example.org');
    await other.close();
    expect(received).toMatchObject({ from: 'noreply@harbour.example', ehlo: 'portal.harbour.example' });
    expect(received.mail.from).toMatchObject({ name: 'Portal, Harbour Hospital', address: 'noreply@harbour.example' });
  });

  it('H-11 shows HTML in a name as text, and a line break in it adds no header', async () => {
    const name = 'Lena\r\nBcc: eve@example.org <img src=x onerror=alert(1)><a href="https://evil.example">x</a>';
    await mailOf().post('activation', 'lena@example.org', { ...values, name });
    const { to, raw, mail } = await sink.to('lena@example.org');
    expect(to).toEqual(['lena@example.org']);
    expect(mail.bcc ?? []).toEqual([]);
    expect(raw).not.toMatch(/^Bcc:/im);
    expect(mail.html).not.toContain('<img');
    expect(mail.html).not.toContain('<a href="https://evil.example"');
    expect(mail.html).toContain('&lt;img src=x onerror=alert(1)&gt;');
    expect(linkInMail({ ...(await sink.to('lena@example.org')) }).url).toBe(link);
  });

  it('is stored sealed in the outbox and deleted after it was sent', async () => {
    await sink.stop();
    await mailOf().post('activation', 'lena@example.org', values);
    const [row] = await portal.query<{ sealed: string }>("SELECT payload ->> 'sealed' AS sealed FROM job");
    expect(Buffer.from(row?.sealed ?? '', 'base64').toString('latin1')).not.toMatch(/lena|activate/i);
    await sink.restart();
    await arrives('lena@example.org');
    await outboxIs(0);
  });

  it('is not sent when its transaction is rolled back', async () => {
    const database = portal.apps[0]?.get(Database, { strict: false }) as Database;
    const failed = database.transaction(async () => {
      await mailOf().post('activation', 'never@example.org', values);
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    await outboxIs(0);
    expect(sink.attempts).toBe(0);
  });

  it('is sent once by several nodes', async () => {
    await Promise.all(
      Array.from({ length: 10 }, (_, number) =>
        mailOf(portal, number % 2).post('activation', `p${number}@example.org`, values),
      ),
    );
    await outboxIs(0);
    expect(sink.received.flatMap(({ to }) => to).sort()).toEqual(
      Array.from({ length: 10 }, (_, number) => `p${number}@example.org`),
    );
  });
});

describe('R-09 A mail server', () => {
  it('that is down delays mail and loses none', async () => {
    await sink.stop();
    await mailOf().post('activation', 'lena@example.org', values);
    await mailOf().post('activation', 'noah@example.org', values);
    await until(async () => (await portal.query('SELECT FROM job WHERE attempts >= 1')).length === 2);
    const rows = await portal.query<{ pause: number }>(
      'SELECT extract(epoch FROM due_at - now())::float8 AS pause FROM job',
    );
    expect(rows).toHaveLength(2);
    for (const { pause } of rows) expect(pause).toBeLessThanOrEqual(120);
    await sink.restart();
    await arrives('lena@example.org');
    await arrives('noah@example.org');
  });

  it('that refuses a mail is retried with growing pauses, up to a day', async () => {
    sink.behaviour = 550;
    // A row has only the rest of its pause, so a trigger records the whole pause and the attempt that it follows.
    await portal.query(`
      CREATE TABLE noted_pause (attempts integer, seconds float8);
      CREATE FUNCTION note_pause() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN INSERT INTO noted_pause
             VALUES (NEW.attempts, extract(epoch FROM NEW.due_at - now())); RETURN NULL; END $$;
      CREATE TRIGGER note_pause AFTER UPDATE ON job FOR EACH ROW WHEN (NEW.attempts = OLD.attempts)
        EXECUTE FUNCTION note_pause()`);
    const pauseAfter = async (attempts: number) => {
      const noted = () =>
        portal.query<{ seconds: number }>('SELECT seconds FROM noted_pause WHERE attempts = $1 AND seconds > 0', [
          attempts,
        ]);
      await until(async () => {
        await skipPauses();
        return (await noted()).length > 0;
      });
      return (await noted())[0]?.seconds;
    };
    await mailOf().post('activation', 'refused@example.org', values);
    expect(await pauseAfter(1)).toBe(5);
    expect(await pauseAfter(2)).toBe(10);
    // Due at once. The result of an attempt that is still running has another number and is ignored.
    await portal.query('UPDATE job SET attempts = 40, due_at = now()');
    expect(await pauseAfter(41)).toBe(24 * 3600);
    await portal.query('DROP FUNCTION note_pause CASCADE; DROP TABLE noted_pause');
    sink.behaviour = 'accept';
    await skipPauses();
    await sink.to('refused@example.org');
  });

  it('that disconnects after accepting a mail gets it again with the same Message-ID', async () => {
    sink.behaviour = 'lose';
    await mailOf().post('activation', 'lena@example.org', values);
    await sink.to('lena@example.org', 1);
    sink.behaviour = 'accept';
    await until(async () => {
      await skipPauses();
      return sink.received.length >= 2;
    });
    const ids = sink.received.map(({ mail }) => mail.messageId);
    expect(ids[0]).toMatch(/^<[0-9a-f-]{36}@localhost>$/);
    expect(new Set(ids).size).toBe(1);
  });

  it('that does not respond holds no database connection', async () => {
    sink.behaviour = 'hang';
    await mailOf().post('activation', 'lena@example.org', values);
    await attemptsAre(1);
    const open = await portal.query(
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'",
    );
    expect(open).toEqual([]);
    await portal.query('DELETE FROM job');
  });

  it('that refuses a mail for a week does not get it again: it is dropped', async () => {
    sink.behaviour = 451;
    await mailOf().post('activation', 'old@example.org', values);
    await attemptsAre(1);
    await portal.query("UPDATE job SET created_at = now() - interval '8 days'");
    await skipPauses();
    await outboxIs(0);
  });
});

describe('Mail templates', () => {
  it('can be replaced one by one', async () => {
    const templatesDir = await mkdtemp(join(tmpdir(), 'gatehouse-mail-'));
    await writeFile(
      join(templatesDir, 'activation.txt.liquid'),
      'Welkom bij {{ organization }}\n\n{{ name }}: {{ link }}\n',
    );
    const other = await startPortal({ config: { email: { ...sink.config, templatesDir } } });
    await mailOf(other).post('activation', 'lena@example.org', values);
    const { mail } = await sink.to('lena@example.org');
    expect([mail.subject, mail.text?.trim()]).toEqual(['Welkom bij Gatehouse', `Lena Marsh: ${link}`]);
    expect(mail.html).toContain('Choose a password to activate it.');
    await other.close();
  });

  it('that are invalid stop the start', async () => {
    const templatesDir = await mkdtemp(join(tmpdir(), 'gatehouse-mail-'));
    await writeFile(join(templatesDir, 'activation.html.liquid'), '{% if %}{{');
    await writeFile(join(templatesDir, 'welcome.html.liquid'), 'x');
    await expect(startPortal({ config: { email: { ...sink.config, templatesDir } } })).rejects.toMatchObject({
      problems: [
        expect.stringContaining('email.templatesDir: activation.html.liquid: '),
        'email.templatesDir: welcome.html.liquid replaces no template',
      ],
    });
  });
});
