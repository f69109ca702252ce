import { publicApp } from '../clients/clients.js';
import { people } from '../users/people.js';
import { startPortal, type TestPortal } from './portal.js';

export const trustedApp = { ...publicApp, clientId: 'trusted-app', clientName: 'Trusted', requireConsent: false };
export const studyApp = { ...trustedApp, clientId: 'study-app', clientName: 'Study' };
export const visitApp = { ...trustedApp, clientId: 'visit-app', clientName: 'Visits' };
const apps = [publicApp, trustedApp, studyApp, visitApp];

const disclaimers = [
  { id: 'portal-use', description: 'Use of this portal', html: '<h1>Use</h1><p>Be careful.<script>1</script></p>' },
  { id: 'records', description: 'Records', html: '<p>Your records.</p>' },
  { id: 'north', description: 'North', html: '<p>North only.</p>', tenant: 'north' },
  { id: 'south', description: 'South', html: '<p>South only.</p>', tenant: 'south' },
  { id: 'study', description: 'The study', html: '<p>A study.</p>', clients: ['study-app', 'public-app'] },
  { id: 'each-visit', description: 'Each visit', html: '<p>Every time.</p>', clients: ['visit-app'], everyLogin: true },
].map((one) => ({ clients: [], everyLogin: false, ...one }));

const tenants = ['north', 'south'].map((id) => ({
  id,
  name: `${id} hospital`,
  baseUrl: `http://127.0.0.1:1/${id}`,
  credentials: { type: 'none' },
}));
export const northPatient = {
  ...people.patient,
  email: 'nora.north@example.org',
  claims: [...people.patient.claims, { name: 'tenant', value: 'north' }],
};

/**
 * Two nodes with disclaimers for all users, for tenants, for an app, and for every sign-in. Further apps have those for
 * all users only.
 */
export function startDisclaimersPortal(further: (typeof publicApp)[] = []): Promise<TestPortal> {
  const clients = [...apps, ...further];
  return startPortal({
    nodes: 2,
    config: { users: [...Object.values(people), northPatient], clients, disclaimers, fhir: { tenants } },
  });
}

/** Deletes all agreements and consents. */
export async function deleteAgreements(portal: TestPortal): Promise<void> {
  await portal.query('DELETE FROM disclaimer_agreement');
  await portal.query('DELETE FROM app_consent');
}

export const agreementsIn = (portal: TestPortal) =>
  portal.query<{ disclaimer_id: string; client_id: string; tenant_id: string; text_hash: string; agreed_at: Date }>(
    'SELECT * FROM disclaimer_agreement ORDER BY disclaimer_id',
  );

export const eventsIn = (portal: TestPortal, type: string) =>
  portal.query('SELECT outcome, client_id, detail FROM audit_event WHERE type = $1 ORDER BY id DESC LIMIT 3', [type]);
