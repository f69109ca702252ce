// @ts-check

/**
 * The organizations behind the demo: a hospital, and a clinic with a FHIR base of its own (`fhir.tenants`), which apps
 * list to their users (`brands`). The clinic has the patients of the hospital, and no account belongs to it.
 *
 * @param {{ portal: string, clinic: string }} addresses of the portal, and of the FHIR server of the clinic
 */
export function demoOrganizations({ portal, clinic }) {
  const address = { city: 'Boston', state: 'MA', country: 'US' };
  return {
    tenants: [{ id: 'clinic', name: 'Demo Clinic', baseUrl: clinic, testPatients: ['1', '2'] }],
    brands: {
      updatedAt: '2026-11-28T10:00:00Z',
      organizations: [
        {
          name: 'Demo Hospital',
          aliases: ['Hospital of the Demo'],
          website: 'https://www.demo-hospital.example/',
          identifiers: [{ system: 'https://facilities.example', value: 'D-1' }],
          addresses: [{ ...address, postalCode: '02111' }],
          portals: [{ name: 'Demo Hospital Portal', url: portal }],
        },
        {
          name: 'Demo Clinic',
          website: 'https://www.demo-clinic.example/',
          identifiers: [{ system: 'https://facilities.example', value: 'D-2' }],
          addresses: [{ ...address, postalCode: '02139' }],
          portals: [{ name: 'Demo Clinic Portal', url: portal }],
          tenants: ['clinic'],
        },
      ],
    },
  };
}
