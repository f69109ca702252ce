import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { Secrets } from '../../platform/crypto/secrets.js';
import { Database } from '../../platform/database/database.js';

/** RS256 signs id_tokens (every OpenID client can verify it), ES256 access tokens (a fifth of the cost). */
const algorithms = ['RS256', 'ES256'] as const;

interface Row {
  kid: string;
  alg: string;
  sealed: Buffer;
}

/**
 * The private keys that tokens are signed with: made at first start, sealed in the database, the same on all nodes.
 * Losing the master key makes them unreadable, and the start fails: there is no key to fall back to.
 */
@Injectable()
export class SigningKeys {
  constructor(
    private readonly database: Database,
    private readonly secrets: Secrets,
  ) {}

  async load(): Promise<JWK[]> {
    return this.database.transaction(async () => {
      // Of nodes that start together one makes the keys; the others wait here and read them.
      await this.database.query('LOCK TABLE signing_key IN SHARE ROW EXCLUSIVE MODE');
      const { rows } = await this.database.query<Row>('SELECT kid, alg, sealed FROM signing_key ORDER BY created_at');
      const missing = algorithms.filter((alg) => !rows.some((row) => row.alg === alg));
      return [...rows.map((row) => this.open(row)), ...(await Promise.all(missing.map((alg) => this.create(alg))))];
    });
  }

  private open({ kid, sealed }: Row): JWK {
    try {
      return JSON.parse(this.secrets.open('signing-keys', sealed, kid));
    } catch (cause) {
      throw new Error('The signing keys in the database were sealed with another master key.', { cause });
    }
  }

  private async create(alg: (typeof algorithms)[number]): Promise<JWK> {
    const { privateKey } = await generateKeyPair(alg, { extractable: true });
    const kid = randomBytes(12).toString('base64url');
    const jwk: JWK = { ...(await exportJWK(privateKey)), kid, alg, use: 'sig' };
    const sealed = this.secrets.seal('signing-keys', JSON.stringify(jwk), kid);
    await this.database.query('INSERT INTO signing_key (kid, alg, sealed) VALUES ($1, $2, $3)', [kid, alg, sealed]);
    return jwk;
  }
}
