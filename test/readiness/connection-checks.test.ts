import { statementWithoutTypes, useReadinessPortal, withTypes } from '../support/readiness/readiness-portal.js';
import { people } from '../support/users/people.js';

const readiness = useReadinessPortal();
const { answers, change, publicIssuer, set } = readiness;

const smtp = { host: 'mail.example', port: 587, security: 'starttls' };
const testMail = (detail: string) =>
  change(
    `INSERT INTO readiness_note (name, account_id, detail)
     SELECT 'test-mail', id, '${detail}' FROM account WHERE email = '${people.admin.email}'`,
    'DELETE FROM readiness_note',
  );
const mailOfAge = (age: string) =>
  change(
    `INSERT INTO job (kind, payload, created_at, due_at, key) VALUES ('mail', '{}', now() - interval '${age}', now() + interval '1 day', 'm1')`,
    "DELETE FROM job WHERE kind = 'mail'",
  );

const north = {
  ...{ id: 'north', name: 'North', baseUrl: 'http://127.0.0.1:9', credentials: { type: 'none' } },
  ...{ aliases: [], exportStores: [], testPatients: [] },
};
const publishedBrands = {
  organizations: [
    {
      ...{ name: 'Good Health', website: 'https://good-health.org', aliases: [], identifiers: [], tenants: [] },
      logo: 'https://good-health.org/logo.svg',
      addresses: [{ city: 'Boston', state: 'MA', postalCode: '02111', country: 'US' }],
      portals: [{ name: 'Central', url: 'https://central.good-health.org' }],
    },
  ],
  updatedAt: '2026-11-28T10:00:00Z',
  fhirVersion: '4.0.1',
};

describe('A check of the readiness report', () => {
  readiness.expectChecks([
    ['fhir-capabilities', 'pass', 'FHIR 4.0.1, resource types: 1.', () => {}],
    ['fhir-capabilities', 'blocking', 'No FHIR server is configured.', () => set('fhir', { baseUrl: undefined })],
    [
      'fhir-capabilities',
      'blocking',
      'UPSTREAM: no usable CapabilityStatement (HTTP 403).',
      () => {
        answers.metadata = 403;
      },
    ],
    [
      'fhir-capabilities',
      'blocking',
      'UPSTREAM: no usable CapabilityStatement (/metadata is not a CapabilityStatement).',
      () => {
        answers.capabilities = {};
      },
    ],
    [
      'fhir-capabilities',
      'improve',
      'UPSTREAM: the CapabilityStatement names no resource types.',
      () => {
        answers.capabilities = statementWithoutTypes;
      },
    ],
    [
      'fhir-direct-access',
      'pass',
      'A request without credentials is refused. Other systems may have credentials of their own.',
      () => {},
    ],
    [
      'fhir-direct-access',
      'unknown',
      'UPSTREAM answers on this machine without credentials. Whether other machines reach it cannot be seen from here.',
      () => {
        answers.search = 200;
      },
    ],
    [
      'fhir-direct-access',
      'improve',
      'UPSTREAM answers this machine without credentials.',
      () => {
        answers.search = 200;
        // Another name of this machine, which is no loopback address.
        set('fhir', { baseUrl: readiness.upstream.url.replace('127.0.0.1', '0.0.0.0') });
      },
    ],
    [
      'fhir-direct-access',
      'blocking',
      'UPSTREAM answers without a token, and the gateway is off: every app can read everything.',
      () => {
        answers.search = 200;
        set('gateway', { enabled: false });
      },
    ],
    [
      'fhir-direct-access',
      'unknown',
      'UPSTREAM: a request without credentials was not answered with data or with a refusal.',
      () => set('fhir', { baseUrl: 'http://127.0.0.1:9' }),
    ],
    ['fhir-transport', 'pass', 'The connection uses TLS, or stays on this machine.', () => {}],
    [
      'fhir-transport',
      'improve',
      'UPSTREAM is reached over the network without TLS.',
      () => set('fhir', { baseUrl: readiness.upstream.url.replace('127.0.0.1', '0.0.0.0') }),
    ],
    ['fhir-transport', 'unknown', 'No FHIR server is configured.', () => set('fhir', { baseUrl: undefined })],
    ['fhir-names', 'unknown', 'UPSTREAM: no answer names the server.', () => {}],
    [
      'fhir-names',
      'improve',
      'UPSTREAM writes another base URL into its answers: https://fhir.hospital.example/fhir.',
      () => {
        Object.assign(answers, { search: 200, base: 'https://fhir.hospital.example/fhir' });
      },
    ],
    [
      'fhir-names',
      'improve',
      'UPSTREAM writes another base URL into its answers: https://fhir.hospital.example/fhir.',
      () => {
        answers.capabilities = { ...withTypes, implementation: { url: 'https://fhir.hospital.example/fhir/' } };
      },
    ],
    [
      'fhir-names',
      'improve',
      'UPSTREAM writes another base URL into its answers: http://inner:8080/r4.',
      () => {
        answers.place = 'http://inner:8080/r4/Patient?_count=1';
      },
    ],
    [
      'fhir-names',
      'pass',
      'The answers name the server by its base URL, or by a further name that is configured.',
      () => {
        answers.capabilities = { ...withTypes, implementation: { url: readiness.upstream.url } };
      },
    ],
    [
      'fhir-names',
      'pass',
      'The answers name the server by its base URL, or by a further name that is configured.',
      () => {
        Object.assign(answers, { search: 200, base: 'https://fhir.hospital.example/fhir' });
        set('fhir', { aliases: ['https://fhir.hospital.example/fhir/'] });
      },
    ],
    ['brands', 'pass', 'No organizations are published (brands.organizations).', () => {}],
    [
      'brands',
      'improve',
      'ISSUER/fhir is published as the address of the FHIR base, and apps elsewhere do not reach it.',
      () => set('brands', publishedBrands),
    ],
    [
      'brands',
      'improve',
      'https://login.good-health.org/fhir is published as a FHIR base, and no FHIR server is configured for it.',
      () => {
        set('server', { issuer: 'https://login.good-health.org' });
        set('fhir', { baseUrl: undefined });
        set('brands', publishedBrands);
      },
    ],
    [
      'brands',
      'improve',
      'https://login.good-health.org/fhir/north: no organization is published for this FHIR base.',
      () => {
        set('server', { issuer: 'https://login.good-health.org' });
        set('fhir', { tenants: [north] });
        set('brands', publishedBrands);
      },
    ],
    [
      'brands',
      'pass',
      'Apps can list 1 organization.',
      () => {
        set('server', { issuer: 'https://login.good-health.org' });
        set('brands', publishedBrands);
      },
    ],
    ['fhir-clock', 'pass', 'The clocks agree within 1 minute.', () => {}],
    [
      'fhir-clock',
      'improve',
      'UPSTREAM differs from this machine by 9 minutes.',
      () => {
        answers.date = new Date(Date.now() - 9.5 * 60_000).toUTCString();
      },
    ],
    [
      'fhir-clock',
      'unknown',
      'UPSTREAM sends no Date header.',
      () => {
        answers.date = '';
      },
    ],

    ['mail-server', 'improve', 'No mail server is configured; all mail is queued.', () => {}],
    ['mail-server', 'blocking', 'No mail server is configured; all mail is queued.', publicIssuer],
    ['mail-server', 'pass', 'Mail goes to mail.example.', () => set('email', { smtp })],
    [
      'mail-server',
      'improve',
      'Mail goes to mail.example without TLS, and its links give access to accounts.',
      () => set('email', { smtp: { ...smtp, security: 'none' } }),
    ],
    ['mail-queue', 'pass', 'No mail waits for more than ten minutes.', () => mailOfAge('9 minutes')],
    ['mail-queue', 'improve', 'Waiting mails: 1, the oldest for 11 minutes.', () => mailOfAge('11 minutes')],
    ['mail-queue', 'blocking', 'Waiting mails: 1, the oldest for 1 hour.', () => mailOfAge('61 minutes')],
    ['mail-test', 'unknown', 'No mail server is configured; all mail is queued.', () => {}],
    ['mail-test', 'improve', 'No test mail is recorded.', () => set('email', { smtp })],
    [
      'mail-test',
      'improve',
      /^A test mail to ada\S+, asked for \d+ seconds? ago, was not confirmed\.$/,
      async () => {
        set('email', { smtp });
        await testMail('{"mailId":"m1"}');
      },
    ],
    [
      'mail-test',
      'improve',
      /^A test mail to ada\S+ has waited for the mail server for \d+ seconds?\.$/,
      async () => {
        set('email', { smtp });
        await testMail('{"mailId":"m1"}');
        await mailOfAge('1 second');
      },
    ],
    [
      'mail-test',
      'pass',
      'A test mail arrived 2 days ago.',
      async () => {
        set('email', { smtp });
        await testMail(JSON.stringify({ confirmedAt: new Date(Date.now() - 49 * 3_600_000) }));
      },
    ],
    ['mail-sender', 'unknown', 'There is no sender address without a mail server.', () => {}],
    [
      'mail-sender',
      'pass',
      'Mail comes from portal@hospital.example.',
      () => {
        publicIssuer();
        set('email', { smtp, from: 'Hospital <portal@hospital.example>' });
      },
    ],
    [
      'mail-sender',
      'improve',
      'Mail comes from portal@mail.example, and the portal is at login.hospital.example.',
      () => {
        publicIssuer();
        set('email', { smtp, from: 'portal@mail.example' });
      },
    ],
  ]);
});
