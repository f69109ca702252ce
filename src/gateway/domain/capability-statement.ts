import type { SmartConfiguration } from '../../contract/smart-configuration.js';

type Json = Record<string, unknown>;

const oauthUris = 'http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris';
const securityService = 'http://terminology.hl7.org/CodeSystem/restful-security-service';
/** US Core servers shall have it. */
const docref = { name: 'docref', definition: 'http://hl7.org/fhir/us/core/OperationDefinition/docref' };
/** The interactions that the gateway passes on; it cannot keep the server's other promises. */
const interactions = new Set([
  'read',
  'vread',
  'history-instance',
  'history-type',
  'search-type',
  'create',
  'update',
  'patch',
  'delete',
]);

/** Statements about each type that the token decides, so that no CapabilityStatement can make them (decision 0007). */
const limits =
  'A request is limited by the scopes of its access token. With a token for one patient, or for certain categories, ' +
  'chained search parameters, `_has` and repeated includes are refused with 403, and a count (`_summary=count`, ' +
  '`_count=0`) of more than 1,000 resources as well.';

/**
 * The server's CapabilityStatement as apps get it: secured by the portal, and without what the gateway refuses. The
 * endpoints are those of the SMART configuration, all of them or none (SMART 1 apps compare both documents).
 */
export function behindGateway(statement: Json, smart: SmartConfiguration): Json {
  return { ...statement, format: ['json'], rest: list(statement.rest).map((rest) => securedRest(rest, smart)) };
}

function securedRest(rest: Json, smart: SmartConfiguration): Json {
  if (rest.mode !== 'server') return rest;
  const { operation, interaction, compartment: _compartment, ...kept } = rest;
  const transactions = list(interaction).filter(({ code }) => code === 'transaction');
  // Batches are carried out by the gateway itself.
  const whole = { interaction: [{ code: 'batch' }, ...transactions] };
  return {
    ...kept,
    documentation: typeof rest.documentation === 'string' ? `${rest.documentation}\n\n${limits}` : limits,
    ...operations(operation),
    ...whole,
    security: security(smart),
    resource: list(rest.resource).map(passedOn),
  };
}

function passedOn(resource: Json): Json {
  const { operation, interaction, searchInclude, searchRevInclude, ...kept } = resource;
  const ofType = resource.type === 'DocumentReference' ? [docref] : [];
  const passed = list(interaction).filter(({ code }) => typeof code === 'string' && interactions.has(code));
  const included = { searchInclude: named(searchInclude), searchRevInclude: named(searchRevInclude) };
  // FHIR has no empty lists.
  return { ...kept, ...operations(operation, ofType), ...included, ...(passed.length > 0 && { interaction: passed }) };
}

/**
 * The operations that any token can permit; `own` are those that the gateway has where the server has none of this
 * name.
 */
function operations(served: unknown, own: readonly Json[] = []): Json {
  const named = list(served).filter(({ name }) => name !== 'graphql' && name !== '$graphql');
  const passed = [
    ...named,
    ...own.filter(({ name }) => !named.some((one) => one.name === name || one.name === `$${name}`)),
  ];
  return passed.length > 0 ? { operation: passed } : {};
}

/** Wildcards are refused. */
function named(inclusions: unknown): unknown[] | undefined {
  if (!Array.isArray(inclusions)) return undefined;
  const passed = inclusions.filter((inclusion) => typeof inclusion === 'string' && !inclusion.includes('*'));
  return passed.length > 0 ? passed : undefined;
}

function security(smart: SmartConfiguration): Json {
  return {
    extension: [
      {
        url: oauthUris,
        extension: [
          { url: 'authorize', valueUri: smart.authorization_endpoint },
          { url: 'token', valueUri: smart.token_endpoint },
          { url: 'introspect', valueUri: smart.introspection_endpoint },
          { url: 'revoke', valueUri: smart.revocation_endpoint },
        ],
      },
    ],
    cors: true,
    service: [
      {
        coding: [{ system: securityService, code: 'SMART-on-FHIR', display: 'SMART-on-FHIR' }],
        text: 'OAuth2 using SMART-on-FHIR profile (see http://docs.smarthealthit.org)',
      },
    ],
    description: 'Access needs a token of the authorization server named here, with scopes that cover the request.',
  };
}

function list(value: unknown): Json[] {
  if (!Array.isArray(value)) return [];
  return value.filter((item): item is Json => typeof item === 'object' && item !== null);
}
