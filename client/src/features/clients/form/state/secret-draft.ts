import type { ClientSecretForm } from '../../../../../../src/contract/clients/clients.js';

/** `spec §9` Secret types: the third is sent as a JWK with a URL. */
export const secretKinds = ['SharedSecret', 'JWK', 'JwksUrl'] as const;
export type SecretKind = (typeof secretKinds)[number];

export function secretKindOf({ secretType, secretUrl }: ClientSecretForm): SecretKind {
  return secretType === 'JWK' && secretUrl !== null && secretUrl !== undefined ? 'JwksUrl' : secretType;
}

/** An empty one of this kind; the description and the expiry of a row that changes its kind stay. */
export function secretOf(kind: SecretKind): ClientSecretForm {
  return {
    secretType: kind === 'SharedSecret' ? 'SharedSecret' : 'JWK',
    secret: kind === 'JwksUrl' ? null : '',
    secretUrl: kind === 'JwksUrl' ? '' : null,
  };
}

/** 256 bits, in characters that need no escaping anywhere. */
export function generateSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

/** The day of a time, where the reader is, as a date input has it; empty for none. */
export function localDay(iso: string | null | undefined): string {
  const at = iso ? new Date(iso) : null;
  if (!at || Number.isNaN(at.getTime())) return '';
  const two = (part: number) => String(part).padStart(2, '0');
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

/** The last second of that day, where the reader is, as ISO 8601; null for none. */
export function endOfDay(day: string): string | null {
  const at = new Date(`${day}T23:59:59`);
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}
