import { diary, useReadinessPortal, wardBoard } from '../support/readiness/readiness-portal.js';
import { people } from '../support/users/people.js';

const readiness = useReadinessPortal();
const { change, clientSettings, secondFactor, set } = readiness;

const withoutAdministrator = () =>
  change("UPDATE account SET user_type = 'Patient'", "UPDATE account SET user_type = 'Admin'");
const secrets = (assignment: string, which = 'true') =>
  change(
    `UPDATE client_secret SET ${assignment} WHERE ${which}`,
    'UPDATE client_secret SET expires_at = NULL, last_used_at = NULL',
  );
const past = "now() - interval '1 day'";
const providers = (...schemes: string[]) =>
  Object.assign(readiness.portal.config, {
    identityProviders: schemes.map((scheme) => ({ scheme, displayName: `The ${scheme} one` })),
  });
const agedClients = () =>
  change("UPDATE client SET created_at = now() - interval '91 days'", 'UPDATE client SET created_at = now()');

describe('A check of the readiness report', () => {
  readiness.expectChecks([
    ['admin-second-factor', 'blocking', `${people.admin.fullName} can sign in with a password alone.`, () => {}],
    ['admin-second-factor', 'pass', 'All administrators sign in with a second factor.', secondFactor],
    ['admin-second-factor', 'unknown', 'No administrator with a password exists yet.', withoutAdministrator],
    ['admin-sign-in', 'improve', 'A password alone opens the pages of administrators.', () => {}],
    ['admin-sign-in', 'pass', 'Administrators need two factors.', () => set('account', { adminsNeed: 'two-factor' })],
    ['admin-sign-in', 'pass', 'Administrators need a passkey.', () => set('account', { adminsNeed: 'passkey' })],
    ['second-admin', 'improve', `${people.admin.fullName} is the only administrator who can sign in.`, () => {}],
    ['second-admin', 'blocking', 'No administrator can sign in.', withoutAdministrator],
    [
      'second-admin',
      'pass',
      '2 administrators can sign in.',
      () =>
        change(
          `INSERT INTO account (id, email, full_name, user_type, claims, password_hash, email_confirmed, is_external, security_stamp, created_at)
         SELECT gen_random_uuid(), 'second@example.org', full_name, user_type, claims, password_hash, email_confirmed, is_external,
                security_stamp, created_at FROM account`,
          "DELETE FROM account WHERE email = 'second@example.org'",
        ),
    ],
    ['password-rule', 'pass', 'At least 12 characters, common passwords are refused.', () => {}],
    [
      'password-rule',
      'improve',
      'A password may have only 8 characters.',
      () => set('account', { password: { ...readiness.portal.config.account.password, requiredLength: 8 } }),
    ],
    [
      'sign-in-limits',
      'pass',
      'Failures are limited for an account and an address; one address may begin 1200 sign-ins in a minute.',
      () => {},
    ],
    [
      'sign-in-limits',
      'improve',
      'One address may begin 50000 sign-ins in a minute.',
      () => set('limits', { startsPerMinute: 50_000 }),
    ],

    ['identity-providers', 'pass', 'No other provider is configured.', () => {}],
    [
      'identity-providers',
      'pass',
      'No provider has failed since its latest sign-in.',
      async () => {
        await readiness.note('identity-provider removed', '1 day', '{"why": "x"}');
        providers('hospital');
      },
    ],
    [
      'identity-providers',
      'improve',
      'The latest sign-in at The clinic one (+1) failed 3 minutes ago: the token endpoint had the status 500.',
      async () => {
        await readiness.note('identity-provider hospital', '2 days', '{"why": "x"}');
        const why = '{"why": "the token endpoint had the status 500"}';
        await readiness.note('identity-provider clinic', '3 minutes', why);
        providers('hospital', 'clinic');
      },
    ],

    ['client-secrets', 'pass', 'Every enabled client that needs a secret or key has a valid one.', () => {}],
    ['client-secrets', 'blocking', 'Ward Board: no valid secret or key.', () => secrets(`expires_at = ${past}`)],
    [
      'client-secrets',
      'improve',
      'Ward Board: an expired secret or key next to a valid one.',
      () => secrets(`expires_at = ${past}`, 'position = 0'),
    ],
    [
      'client-secrets',
      'pass',
      'Every enabled client that needs a secret or key has a valid one.',
      async () => {
        await secrets(`expires_at = ${past}`);
        await change('UPDATE client SET enabled = false', 'UPDATE client SET enabled = true');
      },
    ],
    ['client-wildcards', 'pass', 'Every enabled client is limited to some resource types.', () => {}],
    [
      'client-wildcards',
      'improve',
      'Heart Diary may get scopes for all resource types (*).',
      () => clientSettings(diary.clientId, { allowedResourceTypes: [] }, { allowedResourceTypes: ['Observation'] }),
    ],
    [
      'client-wildcards',
      'improve',
      'Heart Diary, Ward Board may get scopes for all resource types (*).',
      // As clients that are older than the setting.
      () =>
        change(
          "UPDATE client SET settings = settings - 'allowedResourceTypes'",
          `UPDATE client SET settings = settings || '{"allowedResourceTypes":["Observation"]}'`,
        ),
    ],
    [
      'client-offline-access',
      'pass',
      'No public client may get refresh tokens that are not bound to a key.',
      () => clientSettings(wardBoard.clientId, { allowOfflineAccess: true }, { allowOfflineAccess: false }),
    ],
    [
      'client-offline-access',
      'improve',
      'Heart Diary may get refresh tokens without a secret or key.',
      () => clientSettings(diary.clientId, { allowOfflineAccess: true }, { allowOfflineAccess: false }),
    ],
    [
      'client-use',
      'pass',
      'Every client with a secret or key was used in the last 90 days, or is younger. The use of public clients is not recorded.',
      async () => {
        await agedClients();
        await secrets(`last_used_at = ${past}`, 'position = 0');
      },
    ],
    [
      'client-use',
      'improve',
      'Ward Board: no secret or key was used for 90 days or more.',
      async () => {
        await agedClients();
        await secrets("last_used_at = now() - interval '91 days'", 'position = 0');
      },
    ],
    ['client-use', 'improve', 'Ward Board: no secret or key was used for 90 days or more.', agedClients],
    [
      'client-use',
      'unknown',
      'No enabled client has a secret or key, and the use of public clients is not recorded.',
      () =>
        change("UPDATE client SET enabled = false WHERE client_id = 'ward-board'", 'UPDATE client SET enabled = true'),
    ],
  ]);
});
