/** The demands of a security profile on the other settings of a client (FAPI 2.0 Security Profile §5.3.2, §5.4). */
import type { ClientForm, ClientSecretForm } from '../../clients/clients.js';
import { type FieldProblem, message } from '../../messages/message.js';
import type { SecurityProfile } from '../client-values.js';
import { parsePublicJwk } from './jwk.js';

/**
 * JWS algorithms of the profile, for all that a client signs (§5.4.1); `Ed25519` is the newer name of EdDSA on that
 * curve (RFC 9864).
 */
export const profileAlgorithms: readonly string[] = ['PS256', 'ES256', 'EdDSA', 'Ed25519'];

/** Switches that a profile needs to be on. */
const switches = ['requireClientSecret', 'requirePkce', 'requirePar', 'requireDpop'] as const;

/** The changes that choosing a profile brings: what it needs is switched on. */
export function demandedBy(profile: SecurityProfile): Partial<ClientForm> {
  return profile === 'fapi2' ? { requirePkce: true, requirePar: true, requireDpop: true } : {};
}

/** Settings that contradict the client's profile, each next to its own field. */
export function profileProblems(form: ClientForm): FieldProblem[] {
  if (form.securityProfile !== 'fapi2') return [];
  return [
    ...switches.flatMap((field) => (form[field] ? [] : [{ field, messages: [message('fapi-setting-needed')] }])),
    ...form.clientSecrets.flatMap(secretProblem),
    ...form.redirectUris.flatMap((uri, index) =>
      isProtected(uri) ? [] : [{ field: `redirectUris.${index}`, messages: [message('fapi-https-needed')] }],
    ),
  ];
}

function secretProblem({ secretType, secret }: ClientSecretForm, index: number): FieldProblem[] {
  const field = `clientSecrets.${index}.secret`;
  if (secretType !== 'JWK') return [{ field, messages: [message('fapi-keys-only')] }];
  // The keys that an address publishes are known only when it is used.
  const key = parsePublicJwk(secret ?? '');
  return 'jwk' in key && !canSign(key.jwk) ? [{ field, messages: [message('fapi-key-types')] }] : [];
}

function canSign({ kty, crv, alg }: { kty: string; crv?: string; alg?: string }): boolean {
  if (alg !== undefined) return profileAlgorithms.includes(alg);
  return kty === 'RSA' || crv === 'P-256' || crv === 'Ed25519';
}

/** §5.3.2.2: https, except that an app on the device itself listens on a loopback address (RFC 8252 §7.3). */
function isProtected(uri: string): boolean {
  if (/^https:/i.test(uri)) return true;
  return URL.canParse(uri) && ['127.0.0.1', '[::1]'].includes(new URL(uri).hostname);
}
