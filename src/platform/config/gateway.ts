import { z } from 'zod';

const categoryValue = '(?:[^|,%\\s]*\\|)?[^|,%\\s]+';
const ruleType = new RegExp(`^(\\*|[A-Z][A-Za-z]{0,63}(\\?category=${categoryValue}(,${categoryValue})*)?)$`);

const stepUpRule = z
  .strictObject({
    actions: z
      .string()
      .regex(/^(?=.)c?r?u?d?s?$/, 'must be letters of cruds, in this order')
      .default('cruds')
      .describe('Letters of scopes that the rule is for: create, read, update, delete, search.'),
    types: z
      .array(z.string().regex(ruleType, 'must be a resource type, one with ?category= and its values, or *'))
      .min(1)
      .default(['*'])
      .describe(
        'Resource types that the rule is for; `Observation?category=laboratory` for one category, spelled as in a scope.',
      ),
    acr: z
      .enum(['aal2', 'phr'])
      .optional()
      .describe('The weakest sign-in: with two factors, or one that cannot be phished.'),
    maxAge: z.coerce.number().int().min(60).optional().describe('Seconds since the sign-in, at the most.'),
  })
  .refine(({ acr, maxAge }) => acr !== undefined || maxAge !== undefined, 'must have acr or maxAge');

export const gateway = z.strictObject({
  enabled: z.boolean().default(true).describe('Whether apps reach the FHIR server through the portal.'),
  path: z
    .string()
    .regex(/^(\/[A-Za-z0-9_-]+)+$/, 'must be a path such as /fhir')
    .default('/fhir')
    .describe('Path under the issuer at which apps see the FHIR base.'),
  compress: z
    .boolean()
    .default(true)
    .describe(
      'Whether answers to apps are compressed if the app accepts it. Turn it off where a proxy in front does it.',
    ),
  operationsWithoutScope: z
    .array(z.enum(['docref', 'everything', 'export', 'lastn']))
    .default(['docref', 'everything', 'export', 'lastn'])
    .describe(
      'Operations that an app may run without a scope of their own. They return only what its other scopes permit.',
    ),
  stepUp: z
    .array(stepUpRule)
    .default([])
    .describe('Requests of users that need a stronger or a newer sign-in (RFC 9470); services are not asked.'),
  limits: z
    .strictObject({
      answerMegabytes: z.coerce
        .number()
        .int()
        .min(1)
        .max(1000)
        .default(100)
        .describe(
          'Largest resource, and largest answer that has to be checked as a whole, in MB. Other answers are passed on in any size.',
        ),
      bodyMegabytes: z.coerce
        .number()
        .int()
        .min(1)
        .max(1000)
        .default(20)
        .describe('Largest body of a request to the FHIR base, in MB. JSON has 500,000 values at most.'),
      heldMegabytes: z.coerce
        .number()
        .int()
        .min(1)
        .max(100_000)
        .default(400)
        .describe(
          'Memory in which a node holds answers and bodies that it has to check, of all requests together, in MB; further ones wait. Each of `server.workers` is a node.',
        ),
    })
    .prefault({})
    .describe('Limits of what is passed between apps and the FHIR server.'),
  postAuditEvents: z
    .boolean()
    .default(false)
    .describe('Whether the portal posts an AuditEvent to the FHIR server for each access.'),
});
