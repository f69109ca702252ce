import { AdminInvitations } from '../../src/users/application/admins/admin-invitations.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { people } from '../support/users/people.js';

let portal: TestPortal;
let invitations: AdminInvitations;

beforeAll(async () => {
  portal = await startPortal({ config: { users: [people.admin] } });
  invitations = portal.apps[0]?.get(AdminInvitations, { strict: false }) as AdminInvitations;
});

afterAll(() => portal.close());

const recorded = async () =>
  (
    await portal.query<{ type: string; detail: object }>(
      "SELECT type, detail FROM audit_event WHERE type <> 'admin.created' OR subject <> (SELECT id::text FROM account WHERE email = $1) ORDER BY id",
      [people.admin.email],
    )
  ).map(({ type, detail }) => [type, detail]);

describe('An administrator who is added by the operator', () => {
  it('needs a mail server, or an operator who sees the link; a refusal stores nothing', async () => {
    await expect(invitations.invite('new.admin@example.org', { print: false })).rejects.toThrow(
      'No mail server is configured (email.smtp). With --print the link is shown here instead.',
    );
    expect(await portal.query("SELECT FROM account WHERE email = 'new.admin@example.org'")).toEqual([]);
  });

  it('N-04 is recorded when invited, when invited again, and when a new password is requested', async () => {
    const before = (await recorded()).length;
    const first = await invitations.invite('new.admin@example.org', { print: true });
    const second = await invitations.invite('new.admin@example.org', { print: true });
    const third = await invitations.invite(people.admin.email, { print: true });
    expect([first.done, second.done, third.done]).toEqual(['invited', 'invited-again', 'reset']);
    expect((await recorded()).slice(before)).toEqual([
      ['admin.created', {}],
      ['user.invited-again', { by: 'command', print: true }],
      ['password.reset-requested', { by: 'command', print: true }],
    ]);
  });

  it('gets a link that replaces the earlier one, is valid for 72 hours, and is stored as a hash', async () => {
    const token = ({ link = '' }: { link?: string }) => new URL(link).searchParams.get('t') ?? '';
    const before = await invitations.invite('other.admin@example.org', { print: true });
    const now = await invitations.invite('other.admin@example.org', { print: true });
    const rows = await portal.query<{ token_hash: string; hours: number }>(
      `SELECT token_hash, extract(epoch FROM expires_at - now())::float8 / 3600 AS hours FROM account_link
        WHERE account_id = (SELECT id FROM account WHERE email = 'other.admin@example.org')`,
    );
    expect(rows).toEqual([{ token_hash: expect.any(String), hours: expect.closeTo(72, 1) }]);
    expect(token(now)).not.toBe(token(before));
    expect([token(now), token(before)]).not.toContain(rows[0]?.token_hash);
  });

  it('is one account when invited twice at once', async () => {
    const results = await Promise.allSettled(
      [1, 2].map(() => invitations.invite('twin.admin@example.org', { print: true })),
    );
    expect(results.some(({ status }) => status === 'fulfilled')).toBe(true);
    expect(await portal.query("SELECT FROM account WHERE email = 'twin.admin@example.org'")).toHaveLength(1);
  });
});
