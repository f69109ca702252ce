/** A change names a field only where the client's form has it, and an administrator can change it. */
import { readFileSync } from 'node:fs';
import { words } from '../../../client/src/features/clients/words/en.js';
import type { Launch } from '../../../src/activity/domain/launch.js';
import { launchView } from '../../../src/activity/domain/launch-views.js';
import { catalogue } from '../../../src/contract/activity/catalogue.js';
import type { Cause } from '../../../src/contract/activity/cause.js';
import {
  applyClientType,
  type ClientField,
  clientFields,
  defaultClientForm,
  isChangeable,
  isLocked,
  isVisible,
} from '../../../src/contract/rules/clients/client-fields.js';
import { pages } from '../../../src/contract/rules/pages.js';

const refused = (clientForm: Launch['clientForm']): Launch => ({
  id: 'NB7Q4K2M3456',
  kind: 'launch',
  startedAt: new Date(1),
  outcome: 'refused',
  cause: 'token-secret-wrong',
  endedBy: null,
  endedAt: null,
  entries: { 'token-secret-wrong': { at: 1, last: 1, count: 1, detail: { count: 1 } } },
  ...{ clientId: 'heart', clientName: 'Heart', clientRecordId: 'c1', clientForm },
  ...{ accountId: null, personName: null, userType: null },
});

describe('The field of a change', () => {
  const stored = (form: Launch['clientForm']) => launchView(refused(form), 0).decision?.change?.field;

  it('is named for a client that has it, and for one that is not registered', () => {
    expect(stored({ clientType: 'StandaloneApp', requireClientSecret: true })).toBe('clientSecrets');
    expect(stored(null)).toBe('clientSecrets');
  });

  it('is not named for a client without it', () => {
    expect(stored({ clientType: 'StandaloneApp', requireClientSecret: false })).toBeUndefined();
  });

  const types = ['StandaloneApp', 'BackendService', 'ManagementApi'] as const;
  const fields = [...new Set(Object.values(catalogue as Record<string, Cause>).map(({ change }) => change?.field))];
  const environment = {
    ...{ identityProviders: ['other'], externalLoginRestricted: false, operationScopesLoaded: true },
    ...{ resourceTypeGroups: [], served: undefined },
  };

  it.each(types.flatMap((clientType) => [true, false].map((secret) => [clientType, secret] as const)))(
    'can be changed in the form of a stored client, wherever it is named (%s, with a secret: %s)',
    (clientType, requireClientSecret) => {
      const form = applyClientType({ ...defaultClientForm(), requireClientSecret }, clientType);
      for (const field of fields) {
        if (field === undefined || !Object.hasOwn(clientFields, field)) continue;
        const one = field as ClientField;
        const isOpen = isVisible(one, form, environment) && !isLocked(one, form, 'edit', environment);
        expect([field, isChangeable(one, form)]).toEqual([field, isOpen]);
      }
    },
  );

  it('is no field that is locked for every client', () => {
    const all = types.map((clientType) => applyClientType(defaultClientForm(), clientType));
    const named = fields.filter((field) => field !== undefined && Object.hasOwn(clientFields, field)) as ClientField[];
    expect(named.length).toBeGreaterThan(15);
    expect(named.filter((field) => !all.some((form) => isChangeable(field, form)))).toEqual([]);
  });
});

describe('The configuration key of a change', () => {
  const keys = new Set(
    Object.values(catalogue as Record<string, Cause>).flatMap(({ change }) => change?.configuration ?? []),
  );
  const schema = JSON.parse(readFileSync('docs/gatehouse.schema.json', 'utf8')) as Schema;

  it.each([...keys].filter((key) => !key.includes('{{')))('exists: %s', (key) => {
    const found = key.split('.').reduce<Schema | undefined>((at, name) => memberOf(at, name, schema), schema);
    expect([key, found !== undefined]).toEqual([key, true]);
  });
});

interface Schema {
  properties?: Record<string, Schema>;
  anyOf?: Schema[];
  $ref?: string;
  $defs?: Record<string, Schema>;
}

function memberOf(at: Schema | undefined, name: string, root: Schema): Schema | undefined {
  const whole = at?.$ref === undefined ? at : root.$defs?.[at.$ref.split('/').at(-1) ?? ''];
  return whole?.properties?.[name] ?? whole?.anyOf?.flatMap((one) => memberOf(one, name, root) ?? [])[0];
}

it('The address of a change is a page', () => {
  for (const page of ['/admin/client-management', '/admin/user-management', '/admin/age-rules']) {
    expect(Object.keys(pages)).toContain(page);
  }
  const named = Object.values(catalogue as Record<string, Cause>).flatMap(({ change }) => change?.page ?? []);
  expect(new Set(named)).toEqual(new Set(['user', '{{page}}']));
});

describe('The text of a change', () => {
  const { fields: labels } = words.clients;
  const named = Object.entries(catalogue as Record<string, Cause>).flatMap(([code, { change }]) =>
    change?.field !== undefined && Object.hasOwn(labels, change.field)
      ? [{ code, text: change.text, label: labels[change.field as keyof typeof labels] }]
      : [],
  );

  it.each(named.filter(({ text }) => /\b[Tt]urn o(?:n|ff) |\bto [A-Z]|\bas the /.test(text)))(
    'has the name of its setting as the form has it: $code',
    ({ text, label }) => {
      expect(text).toContain(label);
    },
  );
});
