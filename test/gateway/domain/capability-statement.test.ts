import type { SmartConfiguration } from '../../../src/contract/smart-configuration.js';
import { behindGateway } from '../../../src/gateway/domain/capability-statement.js';

const smart = {
  authorization_endpoint: 'https://a.example/authorize',
  token_endpoint: 'https://a.example/token',
  introspection_endpoint: 'https://a.example/introspect',
  revocation_endpoint: 'https://a.example/revoke',
} as SmartConfiguration;

const statement = (resource: object[]) => ({
  resourceType: 'CapabilityStatement',
  instantiates: ['http://hl7.org/fhir/us/core/CapabilityStatement/us-core-server'],
  rest: [{ mode: 'server', resource }],
});

describe('the gateway’s CapabilityStatement', () => {
  test('SMART discovery-metadata has no empty list, which FHIR forbids', () => {
    const resource = [
      { type: 'Basic' },
      {
        type: 'Binary',
        interaction: [{ code: 'search-system' }],
        searchInclude: ['*'],
        operation: [{ name: 'graphql' }],
      },
      { type: 'Patient', interaction: [{ code: 'read' }] },
    ];
    const behind = JSON.stringify(behindGateway(statement(resource), smart));
    expect(behind).not.toContain('[]');
    expect(behind).toContain('{"type":"Patient","interaction":[{"code":"read"}]}');
  });

  test.each<[object[] | undefined, object[]]>([
    [undefined, [{ name: 'docref', definition: 'http://hl7.org/fhir/us/core/OperationDefinition/docref' }]],
    [[{ name: 'docref', definition: 'x' }], [{ name: 'docref', definition: 'x' }]],
    [[{ name: '$docref', definition: 'x' }], [{ name: '$docref', definition: 'x' }]],
    [
      [{ name: 'other' }],
      [{ name: 'other' }, { name: 'docref', definition: 'http://hl7.org/fhir/us/core/OperationDefinition/docref' }],
    ],
  ])('has the operation docref where the server’s are %j', (operation, expected) => {
    const types = [{ type: 'DocumentReference', operation }, { type: 'Observation' }];
    const { rest } = behindGateway(statement(types), smart) as { rest: { resource: { operation?: object[] }[] }[] };
    expect(rest[0]?.resource.map((one) => one.operation)).toEqual([expected, undefined]);
  });

  test.each([
    [undefined, /^A request is limited by the scopes/],
    ['Words of the server.', /^Words of the server\.\n\nA request is limited by the scopes/],
  ])('says what a limited token cannot ask for, after the words of the server (%s)', (documentation, said) => {
    const served = { ...statement([]), rest: [{ mode: 'server', documentation }] };
    const { rest } = behindGateway(served, smart) as { rest: { documentation: string }[] };
    expect(rest[0]?.documentation).toMatch(said);
    for (const named of ['chained', '`_has`', '`_summary=count`']) expect(rest[0]?.documentation).toContain(named);
  });

  test('names the endpoints, and leaves out what the gateway refuses', () => {
    const rest = {
      mode: 'server',
      compartment: ['x'],
      interaction: [{ code: 'transaction' }, { code: 'batch' }, { code: 'search-system' }],
      operation: [{ name: '$graphql' }, { name: 'export' }],
      resource: [
        null,
        {
          type: 'Patient',
          interaction: [
            'read',
            'vread',
            'history-instance',
            'history-type',
            'search-type',
            'create',
            'update',
            'patch',
            'delete',
            'x',
          ]
            .map((code) => ({ code }))
            .concat([{ code: 7 } as never]),
          searchInclude: ['Patient:link', 'Patient:*', 7],
          searchRevInclude: ['Provenance:target', '*'],
          operation: [{ name: 'everything' }, { name: 'graphql' }],
        },
      ],
    };
    const kept = [
      'read',
      'vread',
      'history-instance',
      'history-type',
      'search-type',
      'create',
      'update',
      'patch',
      'delete',
    ];
    expect(
      behindGateway({ format: ['xml', 'json'], rest: [rest, { mode: 'client', compartment: ['x'] }] }, smart),
    ).toEqual({
      format: ['json'],
      rest: [
        {
          mode: 'server',
          documentation: expect.stringContaining('scopes of its access token'),
          interaction: [{ code: 'batch' }, { code: 'transaction' }],
          operation: [{ name: 'export' }],
          resource: [
            {
              type: 'Patient',
              interaction: kept.map((code) => ({ code })),
              searchInclude: ['Patient:link'],
              searchRevInclude: ['Provenance:target'],
              operation: [{ name: 'everything' }],
            },
          ],
          security: {
            extension: [
              {
                url: 'http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris',
                extension: [
                  { url: 'authorize', valueUri: 'https://a.example/authorize' },
                  { url: 'token', valueUri: 'https://a.example/token' },
                  { url: 'introspect', valueUri: 'https://a.example/introspect' },
                  { url: 'revoke', valueUri: 'https://a.example/revoke' },
                ],
              },
            ],
            cors: true,
            service: [
              {
                coding: [
                  {
                    system: 'http://terminology.hl7.org/CodeSystem/restful-security-service',
                    code: 'SMART-on-FHIR',
                    display: 'SMART-on-FHIR',
                  },
                ],
                text: 'OAuth2 using SMART-on-FHIR profile (see http://docs.smarthealthit.org)',
              },
            ],
            description:
              'Access needs a token of the authorization server named here, with scopes that cover the request.',
          },
        },
        { mode: 'client', compartment: ['x'] },
      ],
    });
    expect(behindGateway({ rest: 'x' }, smart)).toEqual({ format: ['json'], rest: [] });
  });

  test('keeps the members that a test kit for US Core reads', () => {
    const supportedProfile = ['http://hl7.org/fhir/us/core/StructureDefinition/us-core-patient'];
    const behind = behindGateway(statement([{ type: 'Patient', supportedProfile }]), smart);
    expect(behind).toMatchObject({
      instantiates: ['http://hl7.org/fhir/us/core/CapabilityStatement/us-core-server'],
      format: ['json'],
      rest: [{ resource: [{ type: 'Patient', supportedProfile }] }],
    });
  });
});
