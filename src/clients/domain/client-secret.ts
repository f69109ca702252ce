import { createPublicKey } from 'node:crypto';
import type { ClientSecretForm } from '../../contract/clients/clients.js';
import type { Message } from '../../contract/messages/message.js';
import type { SecretType } from '../../contract/rules/client-values.js';
import { type PublicJwk, parsePublicJwk } from '../../contract/rules/clients/jwk.js';
import { invalidValue } from '../../contract/rules/text.js';

interface State {
  id: string;
  position: number;
  secretType: SecretType;
  secretHash: string | null;
  jwk: PublicJwk | null;
  url: string | null;
  description: string | null;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
}

/** A client's credential: a shared secret (kept as a keyed hash), a public key, or the address of its keys. */
export class ClientSecret {
  readonly id: string;
  /** Position in the form. */
  readonly position: number;
  readonly secretType: SecretType;
  readonly secretHash: string | null;
  readonly jwk: PublicJwk | null;
  readonly url: string | null;
  readonly description: string | null;
  readonly expiresAt: Date | null;
  readonly lastUsedAt: Date | null;

  private constructor(state: State) {
    Object.assign(this, state);
  }

  /** Creates a credential from a form without problems. */
  static create(
    form: ClientSecretForm,
    birth: { id: string; position: number; hash: (secret: string) => string },
  ): ClientSecret {
    const parsed = form.secretType === 'JWK' && !form.secretUrl ? parsePublicJwk(form.secret ?? '') : undefined;
    return new ClientSecret({
      id: birth.id,
      position: birth.position,
      secretType: form.secretType,
      secretHash: form.secretType === 'SharedSecret' ? birth.hash(form.secret ?? '') : null,
      jwk: parsed && 'jwk' in parsed ? parsed.jwk : null,
      url: form.secretUrl ?? null,
      description: form.description ?? null,
      expiresAt: form.expires ? new Date(form.expires) : null,
      lastUsedAt: null,
    });
  }

  /** Applies the members that the form may change; the value of a shared secret stays (`spec §4`). */
  change(form: ClientSecretForm, position: number): ClientSecret {
    const changed = ClientSecret.create(form, { id: this.id, position, hash: () => '' });
    return new ClientSecret({ ...changed, secretHash: this.secretHash, lastUsedAt: this.lastUsedAt });
  }

  withEnd(expiresAt: Date | null): ClientSecret {
    return new ClientSecret({ ...this, expiresAt });
  }

  isLive(now: Date): boolean {
    return this.expiresAt === null || this.expiresAt > now;
  }

  /** The form as sent back: without the value of a shared secret. */
  form(): ClientSecretForm {
    return {
      id: this.id,
      secretType: this.secretType,
      secret: this.jwk ? JSON.stringify(this.jwk) : null,
      secretUrl: this.url,
      description: this.description,
      expires: this.expiresAt?.toISOString() ?? null,
    };
  }
}

/** The message for a key whose parts have the right shape but make no key, such as a point off the curve. */
export function unusableKeyProblem({ secretType, secret, secretUrl }: ClientSecretForm): Message | undefined {
  if (secretType !== 'JWK' || secretUrl) return undefined;
  const parsed = parsePublicJwk(secret ?? '');
  if ('problem' in parsed) return parsed.problem;
  try {
    createPublicKey({ key: { ...parsed.jwk }, format: 'jwk' });
    return undefined;
  } catch {
    return invalidValue;
  }
}
