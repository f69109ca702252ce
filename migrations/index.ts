/** Every migration, in order; a released one is never edited. */
export { Platform1763700000000 } from './1763700000000-platform.js';
export { Users1763700000001 } from './1763700000001-users.js';
export { ClientsAndTags1763700000002 } from './1763700000002-clients-and-tags.js';
export { FhirServer1763700000003 } from './1763700000003-fhir-server.js';
export { Oidc1763700000004 } from './1763700000004-oidc.js';
export { Launch1763700000005 } from './1763700000005-launch.js';
export { KeysAndLogout1763700000006 } from './1763700000006-keys-and-logout.js';
export { MailAndAudit1763700000007 } from './1763700000007-mail-and-audit.js';
export { AccountCare1763700000008 } from './1763700000008-account-care.js';
export { TwoFactor1763700000009 } from './1763700000009-two-factor.js';
export { AccountTally1763700000014 } from './1763700000014-account-tally.js';
export { SingleSignOn1763700000015 } from './1763700000015-single-sign-on.js';
export { UserSearch1763700000016 } from './1763700000016-user-search.js';
export { Tenants1763700000020 } from './1763700000020-tenants.js';
export { Disclaimers1763700000021 } from './1763700000021-disclaimers.js';
export { AccessAudit1763700000030 } from './1763700000030-access-audit.js';
export { ClientSearch1763700000035 } from './1763700000035-client-search.js';
