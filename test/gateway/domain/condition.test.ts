import type { Interaction } from '../../../src/contract/audit/access-detail.js';
import {
  assertConditional,
  conditionOf,
  isLimitedCondition,
  type ServedConditions,
} from '../../../src/gateway/domain/condition.js';
import type { FhirRequest } from '../../../src/gateway/domain/fhir-request.js';
import type { Parameter } from '../../../src/gateway/domain/parameter.js';
import { TokenPermissions } from '../../../src/gateway/domain/token-permissions.js';
import { decisionOf } from '../../support/fhir/refusals.js';

const condition: Parameter[] = [['identifier', 'a']];
const requestOf = (interaction: Interaction, more: Partial<FhirRequest> = {}): FhirRequest => ({
  interaction,
  type: 'Observation',
  parameters: [],
  ...more,
});
const token = (scope: string) =>
  new TokenPermissions({ scopes: scope.split(' '), patient: 'p1' }, 'https://login.hospital.example/fhir');
const all: ServedConditions = {
  conditional: ['create', 'update', 'patch', 'delete'],
  searchParameters: ['identifier'],
};

describe('the condition of a request', () => {
  test.each<Interaction>(['update', 'patch', 'delete'])('of %s is its query where it has no id', (interaction) => {
    const parameters: Parameter[] = [['_format', 'json'], ...condition];
    expect(conditionOf(requestOf(interaction, { parameters }), {})).toEqual(condition);
    expect(conditionOf(requestOf(interaction, { parameters, id: '1' }), {})).toBeUndefined();
  });

  test.each<Interaction>(['read', 'search', 'history-type', 'operation'])('does not exist for %s', (interaction) => {
    expect(conditionOf(requestOf(interaction, { parameters: condition }), { 'if-none-exist': 'a=b' })).toBeUndefined();
  });

  test('of a create is in its header', () => {
    expect(conditionOf(requestOf('create'), {})).toBeUndefined();
    expect(conditionOf(requestOf('create'), { 'if-none-exist': 'identifier=a' })).toEqual(condition);
    expect(conditionOf(requestOf('create'), { 'if-none-exist': '?identifier=a' })).toEqual(condition);
    expect(decisionOf(() => conditionOf(requestOf('create'), { 'if-none-exist': '' }))).toBe(
      '400 invalid: If-None-Exist takes search parameters alone, such as identifier=….',
    );
  });
});

describe('a conditional change', () => {
  const decided = (interaction: Interaction, scope: string, served = all, asked = condition) =>
    decisionOf(() => assertConditional(requestOf(interaction), asked, token(scope), served));
  const noScope = '403 forbidden: The access token does not allow this condition: it takes scopes to search, too.';

  test.each<[Interaction, string]>([
    ['create', 'cs'],
    ['update', 'cus'],
    ['patch', 'us'],
    ['delete', 'ds'],
  ])('by %s needs the actions %s', (interaction, actions) => {
    for (const subject of ['system', 'patient']) {
      expect(decided(interaction, `${subject}/Observation.${actions}`)).toBe('permitted');
      for (const action of actions) {
        const others = actions.replace(action, '');
        expect(decided(interaction, `${subject}/Observation.${others}`)).toBe(noScope);
      }
    }
  });

  test.each<Interaction>(['create', 'update', 'patch', 'delete'])(
    'by %s is evaluated by a server that supports it',
    (interaction) => {
      const served = { ...all, conditional: all.conditional.filter((one) => one !== interaction) };
      expect(decided(interaction, 'system/*.cruds', served)).toBe(
        `400 not-supported: The FHIR server does not support a conditional ${interaction} here.`,
      );
      // With a limited permission the gateway evaluates the condition itself, by a search.
      expect(decided(interaction, 'patient/*.cruds', served)).toBe('permitted');
      expect(decided(interaction, 'system/*.cud patient/*.s', served)).toBe('permitted');
    },
  );

  test('is refused when the server does not know a parameter', () => {
    expect(decided('update', 'system/*.cruds', all, [['status', 'a']])).toBe(
      "400 not-supported: The FHIR server does not know the search parameter 'status' here.",
    );
  });

  test.each<[Interaction, string, boolean]>([
    ['create', 'system/Observation.cs', false],
    ['create', 'system/Observation.c patient/Observation.s', true],
    ['update', 'system/Observation.cus', false],
    ['update', 'system/Observation.us patient/Observation.c', true],
    ['delete', 'system/Observation.ds', false],
    ['delete', 'system/Condition.ds', true],
    ['read', '', false],
  ])('by %s with %s is evaluated by the gateway: %s', (interaction, scope, expected) => {
    expect(isLimitedCondition(requestOf(interaction, { condition }), token(scope))).toBe(expected);
    expect(isLimitedCondition(requestOf(interaction), token(scope))).toBe(false);
  });
});
