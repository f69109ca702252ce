import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { type AsCodePortal, startAsCodePortal } from '../support/portal/as-code-portal.js';

describe('The file of the documentation', () => {
  const [sample = '', users = ''] = [
    ...readFileSync('docs/configuration-as-code.md', 'utf8').matchAll(/```yaml\n(.*?)```/gs),
  ].map(([, text]) => text);
  let portal: AsCodePortal;

  beforeAll(async () => {
    process.env.LAB_FEED_SECRET = 'typed-secret-of-a-service';
    portal = await startAsCodePortal();
  });
  afterAll(async () => {
    delete process.env.LAB_FEED_SECRET;
    await portal.close();
  });

  it('applies to a new portal, and with its users once they have accounts', async () => {
    const first = parse(sample);
    expect(await portal.apply(first)).toContain('+ client heart-companion');
    expect(await portal.plan(first)).toMatch(/No changes/);
    const all = { ...first, ...parse(users) };
    const claims = [{ name: 'fhirUser', value: 'Practitioner/16' }];
    const user = { fullName: 'Ann Example', email: all.users[0].email, userType: 'Practitioner', claims };
    await portal.api.post('/api/admin/user').send(user).expect(201);
    expect(await portal.apply(all, { adopt: true })).toContain(user.email);
    expect(await portal.plan(all)).toMatch(/No changes/);
  });
});
