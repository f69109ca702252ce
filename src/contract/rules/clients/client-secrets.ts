import type { ClientForm, ClientSecretForm, ClientSecretView } from '../../clients/clients.js';
import { type FieldProblem, type Message, message } from '../../messages/message.js';
import { longestClientTexts, mostSecrets, type SecretState } from '../client-values.js';
import { duplicateValue, fieldRequired, invalidValue, lengthOf, lineProblem, tooLong } from '../text.js';
import { calledUrlProblem } from '../web-address.js';
import type { ClientFormMode } from './client-fields.js';
import { keysOfSet, parsePublicJwk } from './jwk.js';

/** Days before its expiry from which a secret is shown as expiring. */
export const expiringDays = 30;
/** Days after which a client whose secrets and keys were not used counts as unused. */
export const unusedDays = 90;

/** Warnings about a stored secret or key for the administrator, the most urgent first. */
export function statesOfSecret(
  { expires, lastUsed }: Pick<ClientSecretView, 'expires' | 'lastUsed'>,
  now: Date,
): SecretState[] {
  const days = expires === null ? Number.POSITIVE_INFINITY : (Date.parse(expires) - now.getTime()) / 86_400_000;
  const end: SecretState[] = days <= 0 ? ['expired'] : days <= expiringDays ? ['expiring'] : [];
  return [...end, ...(lastUsed === null ? (['unused'] as const) : [])];
}

/** An end that is chosen lies ahead; one that is stored and has come stays until it is changed. */
export function secretEndProblems(
  secrets: readonly ClientSecretForm[],
  stored: readonly ClientSecretForm[],
  now: Date,
): FieldProblem[] {
  return secrets.flatMap(({ id, expires }, index) => {
    const before = stored.find((one) => one.id === id)?.expires;
    const isChosen = expires && Date.parse(expires) !== Date.parse(before ?? '');
    if (!isChosen || !(Date.parse(expires) <= now.getTime())) return [];
    return [{ field: `clientSecrets.${index}.expires`, messages: [message('secret-end-in-past')] }];
  });
}

/** `VSCHAR` of RFC 6749 appendix A.2: anything else has no one form in HTTP Basic. */
const visible = /^[ -~]+$/;
const maxSecret = 4000;

/**
 * The secrets with each JWK Set that was given as a key taken apart (SMART 2.2 client-confidential-asymmetric, "JWK Set
 * directly"): one secret for each of its keys, of which the first takes the place of the set.
 */
export function withKeysOfSets(secrets: readonly ClientSecretForm[]): ClientSecretForm[] {
  return secrets.flatMap((secret) => {
    const keys = secret.secretType === 'JWK' && !secret.secretUrl ? keysOfSet(secret.secret ?? '') : undefined;
    if (!keys) return secret;
    return keys.map((key, index) => ({ ...secret, secret: key, ...(index > 0 && { id: null }) }));
  });
}

/** Problems of the secrets in a form; fields are `clientSecrets` and `clientSecrets.<index>.<field>`. */
export function clientSecretProblems(form: ClientForm, mode: ClientFormMode): FieldProblem[] {
  if (!form.requireClientSecret) return [];
  // A later change may remove the last one: keys are replaced, and an app can be cut off.
  if (mode !== 'edit' && form.clientSecrets.length === 0) {
    return [{ field: 'clientSecrets', messages: [message('secret-required')] }];
  }
  if (form.clientSecrets.length > mostSecrets) {
    return [{ field: 'clientSecrets', messages: [message('too-many-values', { maximum: mostSecrets })] }];
  }
  const names = form.clientSecrets.map(nameOf);
  return form.clientSecrets.flatMap((secret, index) => {
    const found = secretProblem(secret) ?? duplicate(names, index);
    if (!found) return [];
    const [field, problem] = found;
    return [{ field: `clientSecrets.${index}.${field}`, messages: [problem] }];
  });
}

type SecretProblem = readonly [field: 'secret' | 'secretUrl' | 'description' | 'expires', problem: Message];

function secretProblem(secret: ClientSecretForm): SecretProblem | undefined {
  const description = lineProblem(secret.description ?? '', longestClientTexts.secretDescription);
  if (description) return ['description', description];
  if (secret.expires && Number.isNaN(Date.parse(secret.expires))) return ['expires', invalidValue];
  return secret.secretType === 'JWK' ? keyProblem(secret) : sharedProblem(secret);
}

function sharedProblem({ id, secret, secretUrl }: ClientSecretForm): SecretProblem | undefined {
  if (secretUrl) return ['secretUrl', invalidValue];
  if (id) return secret ? ['secret', message('secret-unchangeable')] : undefined;
  if (!secret || secret.trim() === '') return ['secret', fieldRequired];
  if (secret !== secret.trim()) return ['secret', message('secret-outer-spaces')];
  const problem = lineProblem(secret, maxSecret) ?? (visible.test(secret) ? undefined : message('secret-unsendable'));
  return problem ? ['secret', problem] : undefined;
}

function keyProblem({ secret, secretUrl }: ClientSecretForm): SecretProblem | undefined {
  if (secretUrl) {
    const problem = secret ? invalidValue : calledUrlProblem(secretUrl);
    return problem ? ['secretUrl', problem] : undefined;
  }
  const text = secret ?? '';
  if (lengthOf(text) > maxSecret) return ['secret', tooLong(maxSecret)];
  const key = parsePublicJwk(text);
  return 'problem' in key ? ['secret', key.problem] : undefined;
}

/** Two keys of one `kid` and type would leave open which one signed; two equal addresses say nothing new. */
function duplicate(names: readonly (string | undefined)[], index: number): SecretProblem | undefined {
  const name = names[index];
  if (name === undefined || names.indexOf(name) === index) return undefined;
  return [name.startsWith('url ') ? 'secretUrl' : 'secret', duplicateValue];
}

function nameOf({ secretType, secret, secretUrl }: ClientSecretForm): string | undefined {
  if (secretType !== 'JWK') return undefined;
  if (secretUrl) return `url ${secretUrl}`;
  const key = parsePublicJwk(secret ?? '');
  return 'jwk' in key ? `kid ${key.jwk.kty} ${key.jwk.crv} ${key.jwk.kid}` : undefined;
}
