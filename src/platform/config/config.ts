import { z } from 'zod';
import { account } from './account.js';
import { brands } from './brands.js';
import { email } from './email.js';
import { fhir } from './fhir.js';
import { gateway } from './gateway.js';
import { identityProvider } from './identity-provider.js';
import { language } from './language.js';
import { picture } from './picture.js';
import { representation } from './representation.js';
import { server } from './server.js';
import { timeZone } from './time-zone.js';
import { url } from './url.js';

const claims = z.array(z.strictObject({ name: z.string(), value: z.string() }));

const database = z.strictObject({
  url: z
    .string()
    .regex(
      /^postgres(ql)?:\/\//,
      'must be the URL of a PostgreSQL database, such as postgres://user:password@host:5432/database',
    )
    .optional()
    .describe('URL (postgres://…) of a PostgreSQL server; without it an embedded PostgreSQL is started.'),
  poolSize: z.coerce
    .number()
    .int()
    .min(2)
    .max(200)
    .default(20)
    .describe('Connections that a node may hold; each of `server.workers` is a node.'),
  startWait: z.coerce
    .number()
    .int()
    .min(0)
    .max(3600)
    .default(60)
    .describe('Seconds to wait at the start for a database that is not available yet.'),
});

const ehr = z.strictObject({
  callers: z
    .array(
      z.strictObject({
        id: z.string().regex(/^[^:\s]+$/, 'must have no blanks and no colon'),
        // The length makes a limit on guesses unnecessary.
        secret: z.string().min(20, 'must have 20 characters or more'),
      }),
    )
    .default([])
    .describe('Systems that may announce EHR launches (HTTP Basic); never the client of an app.'),
});

const branding = z.strictObject({
  organizationTitle: z.string().max(100).optional().describe("The hospital's name."),
  loginPageText: z.string().max(1000).optional().describe('A sentence under the sign-in title; text only.'),
  logo: picture.optional().describe('Shown on the sign-in pages and in the header.'),
  favicon: picture.optional().describe('Shown in the tab of the browser.'),
  accentColor: z
    .string()
    .regex(/^#[0-9A-Fa-f]{6}$/, 'must be #RRGGBB')
    .optional()
    .describe('Colour of buttons and links.'),
  documentation: z
    .strictObject({
      product: url('of the documentation')
        .default('https://build.fhir.org/ig/HL7/smart-app-launch/')
        .describe('About this portal.'),
      smartConfiguration: url('of the documentation')
        .default('https://build.fhir.org/ig/HL7/smart-app-launch/conformance.html')
        .describe('About the SMART configuration.'),
      fhirServer: url('of the documentation')
        .optional()
        .describe('About connecting a FHIR server; a page of the portal otherwise.'),
    })
    .prefault({})
    .describe('Addresses of the links to documentation.'),
});

const signingAlgorithms = ['RS256', 'RS384', 'ES256', 'ES384'] as const;
export type SigningAlgorithm = (typeof signingAlgorithms)[number];

/** 32 bytes as base64url or hex. */
export const masterKeyText = /^[A-Za-z0-9_-]{43}=?$|^[0-9a-fA-F]{64}$/;

const keys = z.strictObject({
  masterKey: z
    .string()
    .regex(masterKeyText, 'must be 32 bytes as base64url or hex')
    .optional()
    .describe('Key that encrypts all stored secrets; with the embedded database one is generated.'),
  idTokenAlgorithm: z
    .enum(signingAlgorithms)
    .default('RS256')
    .describe('Algorithm that signs id_tokens; every OpenID Connect client knows RS256.'),
  accessTokenAlgorithm: z
    .enum(signingAlgorithms)
    .default('ES256')
    .describe('Algorithm that signs JWT access tokens; RSA costs five times as much as an elliptic curve.'),
  rotationDays: z.coerce.number().int().min(1).default(90).describe('Days after which a signing key is replaced.'),
  announceSeconds: z.coerce
    .number()
    .int()
    .min(60)
    .default(900)
    .describe(
      'Seconds for which a new key is published before it signs; verifiers may cache the key set for half of them.',
    ),
});

const outbound = z.strictObject({
  allowedPrivateHosts: z
    .array(z.string())
    .default([])
    .describe(
      'Host names and networks (10.1.0.0/16) in private networks where apps may have key sets and logout receivers.',
    ),
});

const locale = z.strictObject({
  timeZone: timeZone.describe(
    'Time zone of the hospital, such as Europe/Amsterdam: where ages and periods of representatives begin and end at midnight, and in which mails tell times (without it, in UTC).',
  ),
});

const limits = z.strictObject({
  startsPerMinute: z.coerce
    .number()
    .int()
    .min(10)
    .max(1_000_000)
    .default(1200)
    .describe(
      'How many authorization requests, pushed requests, sign-ins at other providers, forgotten passwords and sign-outs may begin from one IP address in a minute, counted separately; further ones are answered 429 (a forgotten password gets no mail). All users of a hospital may share one address: 1200 are 20 a second, enough for 5000 users who each open an app in the same four minutes. Each is a row for up to half an hour.',
    ),
});

const activity = z.strictObject({
  keepDays: z.coerce
    .number()
    .int()
    .min(0)
    .max(3650)
    .default(30)
    .describe(
      "Days for which the record of an app's launch is kept (*Activity* in the administration). With 0 nothing is recorded.",
    ),
});

const audit = z.strictObject({
  attribution: z
    .enum(['context', 'answers'])
    .default('answers')
    .describe(
      'How far accesses at the gateway are attributed to patients: `answers` records all patients whose data was in an answer or a change, `context` only the one of the token or the address.',
    ),
  keepMonths: z.coerce
    .number()
    .int()
    .min(1)
    .max(1200)
    .optional()
    .describe(
      'Months for which the audit record is kept in the database at least; older ones are reported as ready to be archived (`gatehouse audit archive`). Absent: for ever.',
    ),
  reportAddress: z
    .union([z.email(), z.url({ protocol: /^https$/ })])
    .optional()
    .describe(
      'E-mail address or https page at which patients report an access to their record that looks odd. Absent: the page has no such link.',
    ),
});

const consent = z.strictObject({
  sensitive: z
    .strictObject({
      types: z
        .array(z.string().regex(/^[A-Z][A-Za-z]{0,63}$/, 'must be a resource type'))
        .default([])
        .describe('Resource types.'),
      categories: z
        .array(z.string().regex(/^[A-Z][A-Za-z]{0,63}\/[^\s|/]+$/, 'must be {type}/{code}'))
        .default(['Observation/social-history', 'Observation/sdoh'])
        .describe('Categories of a resource type, by their code: `Observation/social-history`.'),
      securityLabels: z
        .array(z.string().regex(/^\S+$/, 'must be a code, or {system}|{code}'))
        .default(['ETH', 'HIV', 'MH', 'PSY', 'SDV', 'SEX', 'STD', 'SUD'])
        .describe('Security labels that a scope names by `_security`: a code, or `{system}|{code}`.'),
    })
    .prefault({})
    .describe('Data that the consent page marks as sensitive, and that is chosen by itself where single kinds are.'),
});

const telemetry = z.strictObject({
  otlpEndpoint: url('of an OpenTelemetry collector, such as http://collector:4318')
    .refine((text) => !/[?#]|\/v1\/(traces|metrics|logs)\/?$/.test(text), 'must be the address before /v1/traces')
    .transform((text) => text.replace(/\/+$/, ''))
    .optional()
    .describe(
      'Address of an OpenTelemetry collector (OTLP over HTTP) that gets traces and metrics; without it nothing is loaded or sent.',
    ),
  sampleRatio: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(0.1)
    .describe('Share of the traces that are exported, from 0 to 1; also of those that a caller has begun.'),
});

const logging = z.strictObject({
  level: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('The lowest level of log lines that are written.'),
});

const disclaimer = z.strictObject({
  id: z.string().min(1).max(100).describe('Names it for good; another id is another disclaimer.'),
  description: z.string().min(1).max(200).describe('The line next to the checkbox; text only.'),
  html: z.string().min(1).max(100_000).describe('The whole text, as HTML.'),
  tenant: z.string().min(1).max(200).optional().describe('Only for this tenant.'),
  clients: z.array(z.string().min(1).max(200)).default([]).describe('Only for these client ids.'),
  everyLogin: z.boolean().default(false).describe('Asked once in every sign-in.'),
});

/**
 * Schema of the whole configuration file; each key has its description next to it, from which the JSON schema is
 * generated.
 */
export const configSchema = z.strictObject({
  dataDir: z.string().default('data').describe('Folder of the embedded database and the generated master key.'),
  server: server.prefault({}),
  database: database.prefault({}),
  fhir: fhir.prefault({}),
  gateway: gateway.prefault({}),
  ehr: ehr.prefault({}),
  account: account.prefault({}),
  email: email.prefault({}),
  branding: branding.prefault({}),
  brands: brands.prefault({}),
  identityProviders: z
    .array(identityProvider)
    .default([])
    .describe('OpenID providers at which users may sign in instead of here.'),
  disclaimers: z
    .array(disclaimer)
    .default([])
    .describe(
      'Disclaimers that users accept before a client gets any data: `id`, `description`, `html` (scripts, styles, forms and pictures are removed), and optionally `tenant`, `clients`, `everyLogin`. After a change of a text, all users are asked again.',
    ),
  clients: z
    .array(z.record(z.string(), z.unknown()))
    .default([])
    .describe('Clients to register when they are missing.'),
  users: z
    .array(
      z.strictObject({
        email: z.string(),
        password: z.string(),
        fullName: z.string(),
        userType: z.enum(['Admin', 'Patient', 'Practitioner']),
        claims: claims.default([]),
      }),
    )
    .default([])
    .describe('Accounts to create when they are missing; meant for demos and tests.'),
  languages: z
    .array(language)
    .default([])
    .describe(
      'Languages of the pages besides English: `tag` such as de, `file` with the texts as JSON, and `direction: rtl` if it is read from right to left. `/texts.en.json` of the portal has the texts to translate.',
    ),
  locale: locale.prefault({}),
  representation: representation
    .optional()
    .describe('Acting for a patient: parents, carers and representatives. Without this section no account can.'),
  keys: keys.prefault({}),
  outbound: outbound.prefault({}),
  limits: limits.prefault({}),
  activity: activity.prefault({}),
  audit: audit.prefault({}),
  consent: consent.prefault({}),
  telemetry: telemetry.prefault({}),
  logging: logging.prefault({}),
});

/** The deployer's configuration; built once at start and injected by this class. */
export abstract class Config implements z.infer<typeof configSchema> {
  dataDir: string;
  server: z.infer<typeof server>;
  database: z.infer<typeof database>;
  fhir: z.infer<typeof fhir>;
  gateway: z.infer<typeof gateway>;
  ehr: z.infer<typeof ehr>;
  account: z.infer<typeof account>;
  email: z.infer<typeof email>;
  branding: z.infer<typeof branding>;
  brands: z.infer<typeof brands>;
  identityProviders: z.infer<typeof identityProvider>[];
  disclaimers: z.infer<typeof disclaimer>[];
  clients: Record<string, unknown>[];
  users: z.infer<typeof configSchema>['users'];
  languages: z.infer<typeof language>[];
  locale: z.infer<typeof locale>;
  representation?: z.infer<typeof representation> | undefined;
  keys: z.infer<typeof keys>;
  outbound: z.infer<typeof outbound>;
  limits: z.infer<typeof limits>;
  activity: z.infer<typeof activity>;
  audit: z.infer<typeof audit>;
  consent: z.infer<typeof consent>;
  telemetry: z.infer<typeof telemetry>;
  logging: z.infer<typeof logging>;
}

/** An OpenID provider at which users may sign in instead of here. */
export type IdentityProvider = Config['identityProviders'][number];
