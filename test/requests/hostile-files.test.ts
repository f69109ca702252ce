import type { RequestFileView } from '../../src/contract/requests.js';
import { RequestFileStore } from '../../src/requests/application/request-file-store.js';
import type { Agent } from '../support/http/agent.js';
import {
  aPdf,
  ask,
  type RequestPortal,
  review,
  sendFile,
  startRequestPortal,
} from '../support/representation/asked.js';

const script = '<script>alert(1)</script>';
const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xe0]);
const mostBytes = 10 * 1024 * 1024;

let portal: RequestPortal;
let admin: Agent;
let second: Agent;
let ana: Agent;

beforeAll(async () => {
  portal = await startRequestPortal();
  ({ admin, second, ana } = portal.agents);
});

afterAll(() => portal.close());

beforeEach(async () => {
  await portal.forget();
  await portal.query('DELETE FROM request_file WHERE request_id IS NULL');
});

const purge = () => portal.apps[0]?.get(RequestFileStore, { strict: false }).purge();
const events = async (type: string, id: string) =>
  portal.query<{ user_id: string; detail: object }>(
    'SELECT user_id, detail FROM audit_event WHERE type = $1 AND subject = $2 ORDER BY id',
    [type, id],
  );

describe('A file that is not what it says', () => {
  it.each([
    ['a picture named as a PDF', Buffer.concat([png, Buffer.from('x')]), 'certificate.pdf', 'image/png'],
    ['a PDF named as a picture', aPdf(), 'photo.jpg', 'application/pdf'],
    ['a PDF named as a page', aPdf(), 'index.html', 'application/pdf'],
    ['a PDF with a script', aPdf(`/OpenAction << /S /JavaScript /JS (app.alert(1)) >>`), 'a.pdf', 'application/pdf'],
    ['a PDF that is a page as well', aPdf(`<html>${script}</html>`), 'a.pdf', 'application/pdf'],
    ['a picture that is a page as well', Buffer.concat([jpeg, Buffer.from(script)]), 'a.jpg', 'image/jpeg'],
  ])('has the type of its content, and runs nowhere: %s', async (_, content, name, mediaType) => {
    const sent = (await sendFile(ana, content, name)).json<RequestFileView>();
    expect(sent).toMatchObject({ name, mediaType, bytes: content.length });
    const { id } = await ask(ana, portal.aChild(), { files: [sent.id] }, []);
    const opened = await admin.get(`/api/admin/requests/${id}/files/${sent.id}`);
    expect(opened.headers).toMatchObject({
      'content-type': mediaType,
      'content-disposition': `attachment; filename*=UTF-8''${name}`,
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
    });
  });

  it.each([
    ['a drawing named as a picture', Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg">${script}</svg>`), 'a.png'],
    ['a page named as a PDF', Buffer.from(`<html>${script}</html>`), 'a.pdf'],
    ['a PDF behind a page', Buffer.concat([Buffer.from(script), aPdf()]), 'a.pdf'],
    ['a PDF behind an empty line', Buffer.concat([Buffer.from('\n'), aPdf()]), 'a.pdf'],
    ['a picture of another form', Buffer.from('GIF89a'), 'a.png'],
    ['half of the beginning', png.subarray(0, 4), 'a.png'],
    ['an archive', Buffer.from([0x50, 0x4b, 0x03, 0x04]), 'a.pdf'],
    ['nothing', Buffer.alloc(0), 'a.pdf'],
  ])('is refused: %s', async (_, content, name) => {
    const answer = await sendFile(ana, content, name);
    expect([answer.status, answer.json()]).toMatchObject([400, { errors: [{ field: 'file' }] }]);
    expect(await portal.query('SELECT FROM request_file WHERE request_id IS NULL')).toEqual([]);
  });

  it.each([
    ['exactly 10 MB', 0, 201],
    ['one byte more', 1, 400],
  ])('has 10 MB at most: %s', async (_, more, status) => {
    const head = aPdf();
    const content = Buffer.concat([head, Buffer.alloc(mostBytes - head.length + more)]);
    expect((await sendFile(ana, content)).status).toBe(status);
  });

  it('is refused as the fourth', async () => {
    for (const text of ['a', 'b', 'c']) expect((await sendFile(ana, aPdf(text))).status).toBe(201);
    expect((await sendFile(ana, aPdf('d'))).json()).toMatchObject({ errors: [{ field: 'file' }] });
  });
});

describe('The name of a file', () => {
  it.each([
    ['with folders above', '../../etc/passwd', 'passwd'],
    ['with folders of Windows', 'C:\\Users\\Ana\\certificate.pdf', 'certificate.pdf'],
    ['that is a folder alone', 'photos/', 'file'],
    ['with quotes', `a";b'.pdf`, `a";b'.pdf`],
    ['of another script', 'תעודה.pdf', 'תעודה.pdf'],
  ])('%s is the last part of it, and safe in the header', async (_, given, name) => {
    const sent = (await sendFile(ana, aPdf(given), given)).json<RequestFileView>();
    expect(sent.name).toBe(name);
    const { id } = await ask(ana, portal.aChild(), { files: [sent.id] }, []);
    const opened = await admin.get(`/api/admin/requests/${id}/files/${sent.id}`);
    const [, encoded = ''] =
      /^attachment; filename\*=UTF-8''([!-~]+)$/.exec(opened.headers['content-disposition'] ?? '') ?? [];
    expect(encoded).not.toMatch(/['";\\/]/);
    expect(decodeURIComponent(encoded)).toBe(name);
  });

  it.each([
    ['a line break', 'a\r\nset-cookie: x=1.pdf'],
    ['marks that turn its order', 'a\u202efdp.exe'],
    ['nothing', ' '],
    ['10,000 characters', 'x'.repeat(10_000)],
  ])('with %s is refused at its field', async (_, name) => {
    const answer = await sendFile(ana, aPdf(), name);
    expect([answer.status, answer.json()]).toMatchObject([400, { errors: [{ field: 'name' }] }]);
  });
});

describe('Two administrators', () => {
  it('who open a file at the same time are both recorded, and each has seen it', async () => {
    const { id, files } = await ask(ana, portal.aChild());
    const file = files[0]?.id;
    const opened = await Promise.all([admin, second].map((one) => one.get(`/api/admin/requests/${id}/files/${file}`)));
    expect(opened.map(({ status }) => status)).toEqual([200, 200]);
    const found = await events('request.file-opened', id);
    expect(new Set(found.map(({ user_id }) => user_id)).size).toBe(2);
    for (const one of [admin, second]) expect((await review(one, id)).files).toMatchObject([{ isOpened: true }]);
  });
});

describe('The removal of files', () => {
  const minute = "interval '1 minute'";

  it.each([
    ['a minute before seven days after the decision', `decided_at = now() - interval '7 days' + ${minute}`, 'now()', 1],
    ['a minute after them', `decided_at = now() - interval '7 days' - ${minute}`, 'now()', 0],
    ['a minute before 90 days', 'decided_at = NULL', `now() - interval '90 days' + ${minute}`, 1],
    ['a minute after them, though it waits', 'decided_at = NULL', `now() - interval '90 days' - ${minute}`, 0],
  ])('comes to the minute, and is audited once: %s', async (_, decided, added, left) => {
    const { id } = await ask(ana, portal.aChild(), {}, [aPdf('a'), aPdf('b')]);
    const status = decided.includes('NULL') ? 'waiting' : 'declined';
    await portal.query(`UPDATE request SET status = $2, ${decided} WHERE id = $1`, [id, status]);
    await portal.query(`UPDATE request_file SET added_at = ${added} WHERE request_id = $1`, [id]);
    await Promise.all([purge(), purge()]);
    const kept = await portal.query('SELECT FROM request_file WHERE request_id = $1 AND content IS NOT NULL', [id]);
    expect(kept).toHaveLength(left * 2);
    const removed = await events('request.files-removed', id);
    expect(removed.map(({ detail }) => detail)).toEqual(left === 1 ? [] : [{ files: 2 }]);
  });
});
