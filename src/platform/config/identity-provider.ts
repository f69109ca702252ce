import { z } from 'zod';
import { url } from './url.js';

const nonEmpty = z.string().trim().min(1, 'must not be empty');

/** Source of a user's FHIR record in the provider's claims. */
const fhirUserSource = z.union([
  z.strictObject({ claim: nonEmpty.describe('Claim that holds `Patient/…` or `Practitioner/…`.') }),
  z.strictObject({
    lookup: z
      .array(
        z.strictObject({
          type: z.enum(['Patient', 'Practitioner']).describe('Resource type that is searched.'),
          match: z
            .array(
              z.strictObject({
                parameter: z
                  .string()
                  .regex(/^[A-Za-z_][A-Za-z0-9_-]*(:[A-Za-z-]+)?$/, 'must be a search parameter such as identifier')
                  .describe('Search parameter, with its modifier if it needs one (`family:exact`).'),
                claim: nonEmpty.describe('Claim whose value is searched for.'),
                system: z.string().optional().describe('System of the identifier; put before the value.'),
              }),
            )
            .min(1)
            .describe('Conditions; all of them have to hold.'),
        }),
      )
      .min(1)
      .describe('Searches on the FHIR server; together they have to find exactly one record.'),
  }),
]);

/** An external OpenID provider at which users can sign in. */
export const identityProvider = z.strictObject({
  scheme: z
    .string()
    .regex(/^[a-z0-9][a-z0-9_-]{0,49}$/, 'must be lower-case letters, digits, - and _')
    .describe('Name of the provider in addresses and clients; must never change.'),
  displayName: nonEmpty.max(100).describe('Name on its button: Continue with …'),
  authority: url('of the OpenID provider').describe(
    'Its issuer; it publishes /.well-known/openid-configuration below.',
  ),
  clientId: nonEmpty.describe('Client id of the portal at the provider.'),
  clientSecret: nonEmpty.describe('Its secret there.'),
  clientAuthentication: z
    .enum(['basic', 'post'])
    .default('basic')
    .describe('How the secret is sent: as HTTP Basic, or in the body.'),
  scope: z.string().default('openid profile email').describe('Scopes to ask the provider for.'),
  responseType: z.literal('code').default('code').describe('The flow; there is this one only.'),
  autoProvision: z
    .boolean()
    .default(false)
    .describe('Creates an account at the first sign-in of a user; when off, only users with an account can sign in.'),
  groupsClaim: nonEmpty.default('groups').describe("Claim with the user's groups."),
  allowedGroups: z
    .array(nonEmpty)
    .default([])
    .describe('Only members of one of these groups may sign in; none: all users.'),
  adminGroups: z
    .array(nonEmpty)
    .default([])
    .describe('Members of one of these groups become administrators when they first come in.'),
  copyClaims: z
    .array(
      z.strictObject({
        claim: nonEmpty.describe("The provider's name of the claim."),
        as: nonEmpty.optional().describe('Its name in the account; the same, if left out.'),
      }),
    )
    .default([])
    .describe('Claims that a new account keeps.'),
  fhirUser: fhirUserSource
    .default({ claim: 'fhirUser' })
    .describe('How a new account gets its record: from a claim (`claim`), or by a search (`lookup`).'),
  relatedPersonClaim: nonEmpty
    .optional()
    .describe(
      'Claim with the RelatedPerson and Person resources by which the user acts for patients; read at each sign-in.',
    ),
  secondFactor: z
    .strictObject({
      amr: z.array(nonEmpty).default(['mfa']).describe('Values of `amr` that prove a second factor.'),
      acr: z.array(nonEmpty).default([]).describe('Values of `acr` that prove one.'),
    })
    .prefault({})
    .describe(
      'Claims by which the provider states that it has checked a second factor. Without them, clients that require one ask for ours.',
    ),
  logoutMethod: z
    .enum(['local', 'single'])
    .default('local')
    .describe('Whether signing out here signs out at the provider, too (`single`).'),
});
