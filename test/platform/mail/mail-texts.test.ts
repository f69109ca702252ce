import type { Config } from '../../../src/platform/config/config.js';
import { Languages } from '../../../src/platform/language/languages.js';
import { type MailName, MailTemplates } from '../../../src/platform/mail/mail-templates.js';

/** The text of a mail as a portal with this time zone writes it. */
async function textOf(timeZone: string | undefined, when: string, name: MailName = 'family-changed'): Promise<string> {
  const config = { email: {}, branding: {}, server: { issuer: 'https://login.example/sub' }, locale: { timeZone } };
  const templates = new MailTemplates(config as Config, new Languages([]));
  return (await templates.render(name, { name: 'Ana', when: new Date(when) })).text;
}

describe('The time in a mail', () => {
  it.each([
    [undefined, '2026-11-30T01:05:00Z', 'November 30, 2026 at 1:05 AM UTC'],
    ['America/New_York', '2026-11-30T01:05:00Z', 'November 29, 2026 at 8:05 PM EST'],
    ['America/New_York', '2026-07-01T16:00:00Z', 'July 1, 2026 at 12:00 PM EDT'],
    ['Europe/Amsterdam', '2026-11-29T23:30:00Z', 'November 30, 2026 at 12:30 AM GMT+1'],
  ])('is that of the hospital in %s', async (timeZone, when, written) => {
    expect(await textOf(timeZone, when)).toContain(`When: ${written}.`);
  });
});

describe('A mail about Family and carers', () => {
  it.each(['family-changed', 'family-changes'] as const)('%s leads to that page', async (name) => {
    const text = await textOf(undefined, '2026-11-30T01:05:00Z', name);
    expect(text.split('\n').at(-1)).toBe('https://login.example/sub/user/family');
  });
});
