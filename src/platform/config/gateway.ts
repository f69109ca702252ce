import { z } from 'zod';

export const gateway = z.strictObject({
  enabled: z.boolean().default(true).describe('Whether apps reach the FHIR server through the portal.'),
  path: z
    .string()
    .regex(/^(\/[A-Za-z0-9_-]+)+$/, 'must be a path such as /fhir')
    .default('/fhir')
    .describe('Path under the issuer at which apps see the FHIR base.'),
  operationsWithoutScope: z
    .array(z.enum(['everything', 'export', 'lastn']))
    .default(['everything', 'export', 'lastn'])
    .describe(
      'Operations that an app may run without a scope of their own. They return only what its other scopes permit.',
    ),
  postAuditEvents: z
    .boolean()
    .default(false)
    .describe('Whether the portal posts an AuditEvent to the FHIR server for each access.'),
});
