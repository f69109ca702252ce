import { startUpstream, type Upstream } from './gateway.js';

/** A FHIR server whose `Patient/1` and practitioner have its name, so that answers show their origin. */
export function startNamedFhirServer(name: string): Promise<Upstream> {
  const patient = { resourceType: 'Patient', id: '1', name: [{ text: `Patient of ${name}` }] };
  const practitioner = { resourceType: 'Practitioner', id: 'practitioner-1', name: [{ text: `Doctor of ${name}` }] };
  const bodies: Record<string, object> = {
    '/r4/metadata': {
      resourceType: 'CapabilityStatement',
      name,
      fhirVersion: '4.0.1',
      rest: [{ mode: 'server', resource: [{ type: 'Patient' }, { type: 'Practitioner' }] }],
    },
    '/r4/Patient/1': patient,
    '/r4/Practitioner/practitioner-1': practitioner,
    '/r4/Patient': { resourceType: 'Bundle', type: 'searchset', entry: [{ resource: patient }] },
  };
  return startUpstream(({ url = '' }, response) => {
    const body = bodies[url.split('?', 1)[0] ?? ''];
    response.writeHead(body ? 200 : 404, { 'content-type': 'application/fhir+json' });
    response.end(JSON.stringify(body ?? { resourceType: 'OperationOutcome', issue: [] }));
  });
}
