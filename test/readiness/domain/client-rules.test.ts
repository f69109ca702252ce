import { message } from '../../../src/contract/messages/message.js';
import { unusedDays } from '../../../src/contract/rules/clients/client-secrets.js';
import {
  type ClientFacts,
  clientOfflineAccess,
  clientSecrets,
  clientUse,
  clientWildcards,
} from '../../../src/readiness/domain/client-rules.js';
import { textOf } from '../../support/messages.js';
import { expectRows, named, none } from '../../support/readiness/rule-rows.js';

it('The days after which a client counts as unused are those that the report names', () => {
  const texts = [message('readiness-client-use-some', { names: 'App' }), message('readiness-client-use-pass')];
  for (const text of texts.map(textOf)) expect(text).toContain(` ${unusedDays} days`);
});

describe('The rules about clients', () => {
  const facts: ClientFacts = {
    ...{ withoutValidSecret: none, withExpiredSecret: none, forAllTypes: none, publicWithOfflineAccess: none },
    ...{ provingThemselves: 1, unused: none },
  };
  const app = named('App');
  const list = '/admin/client-management';
  const names = 'App';
  expectRows([
    ['valid secrets', clientSecrets(facts), 'pass', 'client-secrets-pass'],
    [
      'no valid secret',
      clientSecrets({ ...facts, withoutValidSecret: app, withExpiredSecret: named('Other') }),
      ...(['blocking', 'client-secrets-none-valid', { names }] as const),
      `client-secrets-none-valid-do | ${list}?client=id-App (open-client)`,
    ],
    [
      'two clients without a valid secret',
      clientSecrets({ ...facts, withoutValidSecret: named('App', 'Other') }),
      ...(['blocking', 'client-secrets-none-valid', { names: 'App, Other' }] as const),
      `client-secrets-none-valid-do | ${list} (open-clients)`,
    ],
    [
      'an expired secret',
      clientSecrets({ ...facts, withExpiredSecret: app }),
      ...(['improve', 'client-secrets-expired', { names }] as const),
      `client-secrets-expired-do | ${list}?client=id-App (open-client)`,
    ],
    [
      'expired secrets of several clients',
      clientSecrets({ ...facts, withExpiredSecret: { count: 5, first: app.first } }),
      ...(['improve', 'client-secrets-expired', { names: 'App (+4)' }] as const),
      `client-secrets-expired-do | ${list}?secretStates=expired (open-clients)`,
    ],
    ['limited types', clientWildcards(facts), 'pass', 'client-wildcards-pass'],
    [
      'all types',
      clientWildcards({ ...facts, forAllTypes: app }),
      ...(['improve', 'client-wildcards-some', { names }] as const),
      `client-wildcards-do | ${list}?client=id-App (open-client)`,
    ],
    ['no offline access', clientOfflineAccess(facts), 'pass', 'client-offline-access-pass'],
    [
      'offline access',
      clientOfflineAccess({ ...facts, publicWithOfflineAccess: app }),
      ...(['improve', 'client-offline-access-some', { names }] as const),
      `client-offline-access-do | ${list}?client=id-App (open-client)`,
    ],
    ['used clients', clientUse(facts), 'pass', 'client-use-pass'],
    [
      'unused clients',
      clientUse({ ...facts, unused: app }),
      ...(['improve', 'client-use-some', { names }] as const),
      `client-use-do | ${list}?client=id-App (open-client)`,
    ],
    [
      'several unused clients',
      clientUse({ ...facts, unused: named('App', 'Other') }),
      ...(['improve', 'client-use-some', { names: 'App, Other' }] as const),
      `client-use-do | ${list}?secretStates=idle&isEnabled=true (open-clients)`,
    ],
    [
      'public clients only',
      clientUse({ ...facts, provingThemselves: 0 }),
      ...(['unknown', 'client-use-unseen', undefined, 'client-use-unseen-do'] as const),
    ],
  ]);
});
