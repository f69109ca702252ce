import { z } from 'zod';
import { url } from './url.js';

const text = (most: number) => z.string().min(1, 'must not be empty').max(most, `must have at most ${most} characters`);
const picture = z
  .string()
  .max(100_000)
  .refine(
    (address) => /^data:image\/(svg\+xml|png);base64,/.test(address) || /^https:\/\//.test(address),
    'must be an https URL of a picture, or an SVG or PNG as a data URL',
  );

const organization = z.strictObject({
  name: text(200),
  aliases: z.array(text(200)).max(50).default([]).describe('Further and former names that users know it by.'),
  website: url('of the organization'),
  identifiers: z
    .array(z.strictObject({ system: text(200), value: text(200) }))
    .max(20)
    .default([])
    .describe('Identifiers besides the website, such as the number of a facility with its system.'),
  addresses: z
    .array(
      z
        .strictObject({
          line: text(200).optional(),
          city: text(100).optional(),
          state: text(100).optional(),
          postalCode: text(20).optional(),
          country: z
            .string()
            .regex(/^[A-Z]{2}$/, 'must be two capital letters of ISO 3166-1, such as US')
            .optional(),
        })
        .refine(
          ({ state, postalCode, city }) => Boolean(state ?? postalCode ?? city),
          'must have city, state or postalCode',
        ),
    )
    .min(1, 'must have at least one address')
    .max(500),
  logo: picture.optional(),
  logoLicense: url('of the license of the logo').optional(),
  portals: z
    .array(
      z.strictObject({
        name: text(200),
        description: text(1000).optional(),
        url: url('of the portal'),
        logo: picture.optional(),
      }),
    )
    .max(20)
    .default([])
    .describe('Portals in which the users of the organization sign in.'),
  tenants: z
    .array(z.string())
    .default([])
    .describe('Ids of the tenants whose FHIR bases have its data; none means the base of `fhir.baseUrl`.'),
});

/** Section `brands`: what apps show of the organizations behind the FHIR bases. */
export const brands = z
  .strictObject({
    organizations: z
      .array(organization)
      .max(500)
      .default([])
      .describe(
        'Organizations that apps list to their users (SMART App Launch 2.2, User-access Brands), published without a token; the first of a FHIR base is its primary brand.',
      ),
    updatedAt: z.iso
      .datetime({ offset: true, error: 'must be a time with its zone, such as 2026-11-28T10:00:00Z' })
      .optional()
      .describe('When the organizations were changed last.'),
    developers: url('of the page for developers')
      .optional()
      .describe('Page on which developers register for the FHIR bases; the portal itself by default.'),
    fhirVersion: z
      .enum(['4.0.1', '4.3.0', '5.0.0'])
      .default('4.0.1')
      .describe('The version of FHIR that the bases have.'),
  })
  .refine(({ organizations, updatedAt }) => organizations.length === 0 || updatedAt !== undefined, {
    path: ['updatedAt'],
    message: 'is required with organizations, so that apps recognise a change',
  });

type Brands = z.infer<typeof brands>;

/** The identifier by which a brand is known across publishers: its website without `www.` and path. */
export function identifierOf({ website }: Brands['organizations'][number]): { system: string; value: string } {
  return { system: 'urn:ietf:rfc:3986', value: `https://${new URL(website).host.replace(/^www\./, '')}` };
}

/** True if the FHIR base of this tenant, or of none, has data of the organization. */
export function hasDataOf(
  { tenants }: Pick<Brands['organizations'][number], 'tenants'>,
  { tenant }: { tenant: { id: string } | undefined },
): boolean {
  return tenant === undefined ? tenants.length === 0 : tenants.includes(tenant.id);
}

/** Contradictions between the organizations and the tenants. */
export function brandProblems({ organizations }: Brands, tenants: readonly { id: string }[]): string[] {
  const values = organizations.map((one) => identifierOf(one).value);
  return organizations.flatMap(({ tenants: own }, index) => [
    ...own
      .filter((id) => !tenants.some((tenant) => tenant.id === id))
      .map((id) => `brands.organizations.${index}.tenants: there is no tenant ${id}`),
    ...(values.indexOf(values[index] ?? '') < index
      ? [`brands.organizations.${index}.website: another organization has the same one`]
      : []),
  ]);
}
