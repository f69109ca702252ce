import { z } from 'zod';
import { jwtAlgorithm } from './jwt-algorithm.js';
import { timeZone } from './time-zone.js';
import { url } from './url.js';

const launchContextColumn = z.strictObject({ name: z.string(), path: z.string() });

const credentials = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('none') }),
    z.strictObject({ type: z.literal('basic'), username: z.string(), password: z.string() }),
    z.strictObject({ type: z.literal('bearer'), token: z.string() }),
    z.strictObject({
      type: z.literal('jwt'),
      privateKey: z
        .string()
        .refine(
          (pem) => jwtAlgorithm(pem) !== undefined,
          'must be a PEM of an RSA key (2048 bits or more) or of P-256 or P-384',
        ),
      keyId: z.string().optional(),
      issuer: z.string(),
      audience: z.string().optional(),
      scope: z.string().default('system/*.rs'),
    }),
  ])
  .default({ type: 'none' })
  .describe(
    'How the portal signs in to the FHIR server; `jwt` is a token of five minutes that it signs itself with the key of a PEM, with `issuer` as subject too, and for the base URL unless there is an `audience`.',
  );

const testPatients = z
  .array(z.string().regex(/^[A-Za-z0-9.-]{1,64}$/, 'must be the id of a Patient'))
  .max(20)
  .default([])
  .describe(
    'Ids of Patient resources that are about no real person. Administrators try launches of clients with them, and with no other patient.',
  );

const aliases = z
  .array(
    url('of the FHIR server').refine((text) => !/[?#@]/.test(text), 'must be a base URL, without a query or a user'),
  )
  .max(20)
  .default([])
  .describe(
    'Further base URLs that the FHIR server, or a proxy in front of it, writes into its answers. They mean the same server as `baseUrl`, to which all requests are sent.',
  );

const exportStores = z
  .array(
    url('of a store').refine(
      (text) => URL.canParse(text) && new URL(text).origin === text,
      'must be an origin, such as https://files.example',
    ),
  )
  .max(20)
  .default([])
  .describe(
    'Origins outside of the FHIR server at which it keeps files of exports. The portal fetches them for the app that began the export, without credentials and without following redirects; a private address must also be in `outbound.allowedPrivateHosts`.',
  );

/** Section `fhir`: the FHIR servers, and the use that the portal makes of them. */
export const fhir = z.strictObject({
  baseUrl: url('of the FHIR server')
    .optional()
    .describe('Base URL of the FHIR server behind the portal; the dashboard shows its state.'),
  aliases,
  credentials,
  exportStores,
  testPatients,
  timeoutMs: z.coerce
    .number()
    .int()
    .min(100)
    .max(120_000)
    .default(30_000)
    .describe('Longest wait for the FHIR server.'),
  metadataTimeoutMs: z.coerce
    .number()
    .int()
    .min(1_000)
    .max(120_000)
    .default(20_000)
    .describe(
      'Longest wait for the CapabilityStatement of the FHIR server (`/metadata`), which busy servers take seconds for.',
    ),
  specialScopes: z
    .array(z.string())
    .default(['http://server.fire.ly/auth/scope/erase-operation', 'http://server.fire.ly/auth/scope/purge-operation'])
    .describe('Scopes that a client may get only with allowFirelySpecialScopes.'),
  tenants: z
    .array(
      z.strictObject({
        id: z
          .string()
          .regex(/^[a-z0-9][a-z0-9-]{0,63}$/, 'must be lower-case letters, digits and hyphens')
          .refine((id) => id !== 'metadata', 'is an address of every FHIR base'),
        name: z.string().min(1).max(100),
        baseUrl: url('of the FHIR server'),
        aliases,
        credentials,
        exportStores,
        testPatients,
        timeZone,
      }),
    )
    .default([])
    .describe(
      'Organizations with a FHIR server of their own, each at `gateway.path`/id. Apps choose one by `aud`; users belong to those that their `tenant` claims name. `timeZone` is used in place of `locale.timeZone`.',
    ),
  panel: z
    .enum(['all', 'general-practitioner', 'care-team', 'organization'])
    .default('all')
    .describe(
      'Which patients a practitioner may open an app for: all patients, those of whom the practitioner is the general practitioner, those in whose care team the practitioner is, or those of the practitioner’s organizations.',
    ),
  resourceTypeGroups: z
    .array(
      z.strictObject({
        name: z.string().min(1).max(100),
        resourceTypes: z
          .array(z.string().regex(/^[A-Z][A-Za-z]+$/, 'must be a resource type such as Encounter'))
          .min(1),
      }),
    )
    .default([])
    .describe(
      'Groups of resource types to choose from for a client, in addition to the patient compartment and US Core.',
    ),
  launchContext: z
    .array(
      z.strictObject({
        type: z.string().regex(/^[A-Z][A-Za-z]+$/, 'must be a resource type such as Encounter'),
        columns: z.array(launchContextColumn).min(1).max(4),
      }),
    )
    .default([])
    .describe('Columns of the launch-context page, by resource type; paths are FHIRPath.'),
});
