import type { ClientSecretForm } from '../../contract/clients/clients.js';
import { parsePublicJwk } from '../../contract/rules/clients/jwk.js';

/** Secrets and keys in words, without a value; of those that are not among the stored ones it says that they are new. */
export function secretTexts(secrets: readonly ClientSecretForm[], stored: readonly ClientSecretForm[]): string[] {
  return secrets.map((secret) => {
    const { id, secretType, description, expires } = secret;
    const before = stored.find((one) => one.id === id);
    const isReplaced = before && before.secret !== secret.secret && keyId(before) === keyId(secret);
    return [
      secretType === 'SharedSecret' ? 'SharedSecret' : `JWK ${secret.secretUrl ?? keyId(secret)}`,
      ...(description ? [JSON.stringify(description)] : []),
      ...(expires ? [`until ${new Date(expires).toISOString()}`] : []),
      ...(before ? [] : ['(new value)']),
      ...(isReplaced ? ['(other key)'] : []),
    ].join(' ');
  });
}

function keyId({ secret }: ClientSecretForm): string {
  const parsed = parsePublicJwk(secret ?? '');
  return 'jwk' in parsed ? parsed.jwk.kid : '';
}
