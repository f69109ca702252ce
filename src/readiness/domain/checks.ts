import { type Message, message } from '../../contract/messages/message.js';
import type { ReadinessCode, ReadinessGroup } from '../../contract/readiness.js';

interface Subject {
  group: ReadinessGroup;
  title: Message;
  why: Message;
}

/** The groups of the report, in their order. */
export const groups: Record<ReadinessGroup, Message> = {
  people: message('readiness-people'),
  fhir: message('readiness-fhir'),
  mail: message('readiness-mail'),
  clients: message('readiness-clients'),
  network: message('readiness-network'),
  database: message('readiness-database'),
  audit: message('readiness-audit'),
};

const subject = (group: ReadinessGroup, title: Message, why: Message): Subject => ({ group, title, why });

/** All checks of the report, in their order. */
export const subjects: Record<ReadinessCode, Subject> = {
  'admin-second-factor': subject(
    'people',
    message('readiness-admin-second-factor'),
    message('readiness-admin-second-factor-why'),
  ),
  'admin-sign-in': subject('people', message('readiness-admin-sign-in'), message('readiness-admin-sign-in-why')),
  'second-admin': subject('people', message('readiness-second-admin'), message('readiness-second-admin-why')),
  'password-rule': subject('people', message('readiness-password-rule'), message('readiness-password-rule-why')),
  'sign-in-limits': subject('people', message('readiness-sign-in-limits'), message('readiness-sign-in-limits-why')),
  'identity-providers': subject(
    'people',
    message('readiness-identity-providers'),
    message('readiness-identity-providers-why'),
  ),
  'fhir-capabilities': subject(
    'fhir',
    message('readiness-fhir-capabilities'),
    message('readiness-fhir-capabilities-why'),
  ),
  'fhir-direct-access': subject(
    'fhir',
    message('readiness-fhir-direct-access'),
    message('readiness-fhir-direct-access-why'),
  ),
  'fhir-transport': subject('fhir', message('readiness-fhir-transport'), message('readiness-fhir-transport-why')),
  'fhir-clock': subject('fhir', message('readiness-fhir-clock'), message('readiness-fhir-clock-why')),
  'fhir-names': subject('fhir', message('readiness-fhir-names'), message('readiness-fhir-names-why')),
  'represented-patients': subject(
    'fhir',
    message('readiness-represented-patients'),
    message('readiness-represented-patients-why'),
  ),
  'representation-labels': subject(
    'fhir',
    message('readiness-representation-labels'),
    message('readiness-representation-labels-why'),
  ),
  'representation-nodes': subject(
    'fhir',
    message('readiness-representation-nodes'),
    message('readiness-representation-nodes-why'),
  ),
  'representation-time-zone': subject(
    'fhir',
    message('readiness-representation-time-zone'),
    message('readiness-representation-time-zone-why'),
  ),
  'representation-restored': subject(
    'people',
    message('readiness-representation-restored'),
    message('readiness-representation-restored-why'),
  ),
  'late-requests': subject('people', message('readiness-late-requests'), message('readiness-late-requests-why')),
  brands: subject('fhir', message('readiness-brands'), message('readiness-brands-why')),
  'mail-server': subject('mail', message('readiness-mail-server'), message('readiness-mail-server-why')),
  'mail-queue': subject('mail', message('readiness-mail-queue'), message('readiness-mail-queue-why')),
  'mail-test': subject('mail', message('readiness-mail-test'), message('readiness-mail-test-why')),
  'mail-sender': subject('mail', message('readiness-mail-sender'), message('readiness-mail-sender-why')),
  'client-secrets': subject('clients', message('readiness-client-secrets'), message('readiness-client-secrets-why')),
  'client-wildcards': subject(
    'clients',
    message('readiness-client-wildcards'),
    message('readiness-client-wildcards-why'),
  ),
  'client-offline-access': subject(
    'clients',
    message('readiness-client-offline-access'),
    message('readiness-client-offline-access-why'),
  ),
  'client-use': subject('clients', message('readiness-client-use'), message('readiness-client-use-why')),
  issuer: subject('network', message('readiness-issuer'), message('readiness-issuer-why')),
  'trusted-proxies': subject('network', message('readiness-trusted-proxies'), message('readiness-trusted-proxies-why')),
  'master-key': subject('network', message('readiness-master-key'), message('readiness-master-key-why')),
  'signing-keys': subject('network', message('readiness-signing-keys'), message('readiness-signing-keys-why')),
  'database-version': subject(
    'database',
    message('readiness-database-version'),
    message('readiness-database-version-why'),
  ),
  'database-durability': subject(
    'database',
    message('readiness-database-durability'),
    message('readiness-database-durability-why'),
  ),
  'database-transport': subject(
    'database',
    message('readiness-database-transport'),
    message('readiness-database-transport-why'),
  ),
  'database-connections': subject(
    'database',
    message('readiness-database-connections'),
    message('readiness-database-connections-why'),
  ),
  'database-clock': subject('database', message('readiness-database-clock'), message('readiness-database-clock-why')),
  migrations: subject('database', message('readiness-migrations'), message('readiness-migrations-why')),
  backups: subject('database', message('readiness-backups'), message('readiness-backups-why')),
  'audit-seals': subject('audit', message('readiness-audit-seals'), message('readiness-audit-seals-why')),
  'audit-verified': subject('audit', message('readiness-audit-verified'), message('readiness-audit-verified-why')),
  'audit-archives': subject('audit', message('readiness-audit-archives'), message('readiness-audit-archives-why')),
};
