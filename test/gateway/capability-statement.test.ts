import type { SmartConfiguration } from '../../src/contract/smart-configuration.js';
import { behindGateway } from '../../src/gateway/domain/capability-statement.js';

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
