import type { ClientSecretForm } from '../../contract/clients/clients.js';
import type { ClientRotations, SecretRotation } from '../../contract/clients/secret-rotation.js';
import type { Client } from './client.js';
import type { ClientSecret } from './client-secret.js';

/** Days for which both secrets work, unless an administrator chooses another end. */
const overlapDays = 14;
/** Days until the new secret ends, if the old one had an end. */
const newSecretDays = 365;
const longestDescription = 100;

/** The new secret next to the old one: named after it, as 'Production 2'. */
export function replacementOf(
  old: ClientSecret,
  { secrets }: Client,
  { secret, now }: { secret: string; now: Date },
): ClientSecretForm {
  const base = (old.description ?? 'Secret').replace(/ \d+$/, '').slice(0, longestDescription - 4);
  const taken = new Set(secrets.map(({ description }) => description));
  let number = 2;
  while (taken.has(`${base} ${number}`)) number += 1;
  const expires = old.expiresAt ? daysAfter(now, newSecretDays).toISOString() : null;
  return { secretType: 'SharedSecret', secret, description: `${base} ${number}`, expires };
}

/** The end of the old secret: never later than it was. */
export function overlapEnd({ expiresAt }: ClientSecret, now: Date): Date {
  const end = daysAfter(now, overlapDays);
  return expiresAt && expiresAt < end ? expiresAt : end;
}

function daysAfter(now: Date, days: number): Date {
  return new Date(now.getTime() + days * 86_400_000);
}

/** A rotation as it is stored. */
export interface StoredRotation {
  oldSecret: string;
  newSecret: string;
  /** The end that the old secret had before. */
  oldExpiresAt: Date | null;
}

export abstract class SecretRotations {
  /** The rotation of a client that is locked. */
  abstract findByClient(client: Client): Promise<StoredRotation | undefined>;
  abstract add(client: Client, rotation: StoredRotation): Promise<void>;
  abstract markStored(client: Client, stored: boolean): Promise<void>;
  abstract remove(client: Client): Promise<void>;
  abstract view(clientRow: string): Promise<SecretRotation | null>;
  abstract list(): Promise<ClientRotations>;
}
