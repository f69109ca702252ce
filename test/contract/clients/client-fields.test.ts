import { randomUUID } from 'node:crypto';
import { Client, type ClientContext } from '../../../src/clients/domain/client.js';
import type { ClientForm, ClientRequest } from '../../../src/contract/clients/clients.js';
import type { ProblemItem } from '../../../src/contract/problem.js';
import {
  applyClientType,
  type ClientField,
  type ClientFormEnvironment,
  type ClientFormMode,
  clientFields,
  clientSections,
  defaultClientForm,
  emptyForAll,
  isLocked,
  isVisible,
  lifetimeFields,
} from '../../../src/contract/rules/clients/client-fields.js';
import { clientFormProblems, tidyClientForm } from '../../../src/contract/rules/clients/client-form.js';
import { typeChange } from '../../../src/contract/rules/clients/derived-forms.js';
import type { Problem } from '../../../src/platform/errors.js';
import { asAnswered } from '../../support/messages.js';
import { expectedFields } from './client-fields-expected.js';

const types = { S: 'StandaloneApp', B: 'BackendService', M: 'ManagementApi' } as const;
const modes: ClientFormMode[] = ['create', 'edit', 'set-type'];
const environment: ClientFormEnvironment = {
  identityProviders: ['hospital'],
  externalLoginRestricted: false,
  operationScopesLoaded: true,
  served: undefined,
  resourceTypeGroups: [{ name: 'Laboratory', resourceTypes: ['Observation', 'Specimen'] }],
};
const surroundings: ClientContext = { environment, now: new Date(0), newId: randomUUID, hash: (secret) => secret };
const names = Object.keys(expectedFields) as ClientField[];

const complete = (type: keyof typeof types): ClientForm => ({
  ...applyClientType(defaultClientForm(), types[type]),
  clientId: 'heart-companion',
  clientName: 'Heart Companion',
  clientSecrets: [{ secretType: 'SharedSecret', secret: 'correct horse' }],
  redirectUris: type === 'S' ? ['https://app.example/callback'] : [],
});

/** Returns a value of the field's kind other than its default. */
function other(value: unknown): unknown {
  if (typeof value === 'boolean') return !value;
  return Array.isArray(value) ? [] : '';
}

/** Returns the problems with which the server refuses a request; empty when it accepts the request. */
function refusal(act: () => unknown): ProblemItem[] {
  try {
    act();
    return [];
  } catch (error) {
    return (error as Problem).body().errors;
  }
}

const messageAt = (problems: readonly ProblemItem[], name: string) =>
  problems.find(({ field }) => field === name)?.messages[0];

test('the table of the client form has every field, and each section that a field is in', () => {
  expect(Object.keys(clientFields)).toEqual(names);
  expect(clientSections).toEqual([...new Set(Object.values(expectedFields).map(({ section }) => section))]);
});

test('the lists that set no limit when they are empty are those of the specification', () => {
  expect(emptyForAll).toEqual(names.filter((name) => expectedFields[name]?.unlimited));
});

test('the times are the fields that may not have another text', () => {
  const isRefused = (name: ClientField) => {
    const form = { ...complete('S'), [name]: 'soon' };
    return messageAt(asAnswered(clientFormProblems(form, 'create', environment)), name)?.startsWith(
      'Lifetime is invalid',
    );
  };
  const texts = names.filter((name) => typeof expectedFields[name]?.initial === 'string' && name !== 'clientType');
  expect([...lifetimeFields].sort()).toEqual(texts.filter(isRefused).sort());
});

describe.each(Object.keys(types) as (keyof typeof types)[])('in the client form of type %s', (type) => {
  describe.each(modes)('on %s', (mode) => {
    const form = complete(type);

    test.each(names)('the field %s is shown, locked and required as the specification says', (name) => {
      const expected = expectedFields[name];
      const isShown = expected?.visible.includes(type) ?? false;
      expect({
        section: clientFields[name].section,
        visible: isVisible(name, form, environment),
        locked: isShown && isLocked(name, form, mode, environment),
        initial: defaultClientForm()[name],
      }).toEqual({
        section: expected?.section,
        visible: isShown,
        locked: isShown && (expected?.locked[mode]?.includes(type) ?? false),
        initial: expected?.initial,
      });

      if (typeof expected?.initial === 'boolean' || name === 'clientType' || name === 'accessTokenType') return;
      const emptied = { ...form, [name]: Array.isArray(expected?.initial) ? [] : '' };
      const message = isShown ? expected?.emptied : undefined;
      // An existing client may lose its last secret: keys are rotated, and an app can be shut out.
      const needed = name === 'clientSecrets' && mode === 'edit' ? undefined : message;
      const found = asAnswered(clientFormProblems(tidyClientForm(emptied, environment), mode, environment));
      expect(messageAt(found, name)).toBe(needed);
      if (mode === 'create')
        expect(
          messageAt(
            refusal(() => Client.register(emptied, surroundings)),
            name,
          ),
        ).toBe(needed);
    });
  });

  test.each(names)('the server stores the hidden field %s at its default, also if another value is sent', (name) => {
    const { visible, initial } = expectedFields[name] ?? {};
    if (visible?.includes(type) || name === 'allowedGrantTypes') return;
    const sent = { ...complete(type), [name]: other(initial) } as ClientRequest;
    const { settings } = Client.register(sent, surroundings);
    expect(settings[name as keyof typeof settings]).toEqual(initial);
  });

  test('the server refuses changes of fields that are fixed after creation', () => {
    const client = Client.register(complete(type), surroundings);
    const change = (request: ClientRequest) =>
      refusal(() => client.change(request, surroundings)).map(({ field }) => field);
    expect(change({ requireClientSecret: false })).toEqual(['requireClientSecret']);
    expect(change({ clientType: type === 'S' ? 'BackendService' : 'StandaloneApp' })).toEqual(['clientType']);
    expect(change({ clientName: 'Another' })).toEqual([]);
  });
});

describe('the state of the portal around the client form', () => {
  const form = complete('S');
  test('shows operation scopes once they are loaded', () => {
    expect(isVisible('allowedOperationScopes', form, { ...environment, operationScopesLoaded: false })).toBe(false);
  });
  test('shows external login where there are providers, and turns it off where there are none', () => {
    const alone = { ...environment, identityProviders: [] };
    expect(isVisible('enableExternalLogin', form, alone)).toBe(false);
    expect(tidyClientForm(form, alone).enableExternalLogin).toBe(false);
  });
  test('permits a restriction of providers only with external login', () => {
    expect(isVisible('identityProviderRestrictions', { ...form, enableExternalLogin: false }, environment)).toBe(false);
  });
  test('shows secrets where one is required', () => {
    expect(isVisible('clientSecrets', { ...form, requireClientSecret: false }, environment)).toBe(false);
  });
  test('locks external login off, and local login on, where external login is restricted', () => {
    const restricted = { ...environment, externalLoginRestricted: true };
    const tidy = tidyClientForm({ ...form, enableLocalLogin: false }, restricted);
    expect([tidy.enableExternalLogin, tidy.enableLocalLogin]).toEqual([false, true]);
    for (const name of ['enableExternalLogin', 'enableLocalLogin'] as const) {
      expect(isLocked(name, form, 'create', restricted)).toBe(true);
    }
  });
});

describe('the review of a client’s type', () => {
  test('names what changes and what is hidden, and nothing else', () => {
    expect(typeChange(complete('S'), 'BackendService')).toEqual({
      changed: ['allowedSmartSubjects', 'allowedGrantTypes'],
      hidden: names.filter((name) => expectedFields[name]?.visible === 'S'),
    });
    expect(typeChange(complete('S'), 'ManagementApi').changed).toEqual([
      'allowManagementApiAccess',
      'allowedGrantTypes',
    ]);
    expect(typeChange(complete('S'), 'StandaloneApp')).toEqual({ changed: [], hidden: [] });
    const fromService = typeChange(complete('B'), 'ManagementApi').hidden;
    expect(fromService).toEqual(names.filter((name) => expectedFields[name]?.visible === 'SB'));
  });
});

describe('groups of resource types', () => {
  test('are saved as their members, each type once', () => {
    const form = { ...complete('S'), allowedResourceTypes: ['Observation', 'Laboratory', 'Patient'] };
    const { settings } = Client.register(form, surroundings);
    expect(settings.allowedResourceTypes).toEqual(['Observation', 'Specimen', 'Patient']);
  });
});
