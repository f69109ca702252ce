import { Injectable } from '@nestjs/common';
import { importJWK, SignJWT } from 'jose';
import { Config } from '../../platform/config/config.js';
import { SigningKeys } from '../engine/keys/signing-keys.js';

/** JWTs that are not tokens: signed with the key of access tokens, and of a type that no endpoint accepts. */
@Injectable()
export class SignedStatements {
  constructor(
    private readonly keys: SigningKeys,
    private readonly config: Config,
  ) {}

  async sign(
    typ: 'receipt+jwt',
    claims: Record<'sub' | 'aud' | 'jti', string> & Record<string, unknown>,
  ): Promise<string> {
    const alg = this.config.keys.accessTokenAlgorithm;
    const key = (await this.keys.load()).keys.find((one) => one.alg === alg);
    if (!key) throw new Error(`there is no key for ${alg}`);
    return new SignJWT(claims)
      .setProtectedHeader({ typ, alg, kid: key.kid })
      .setIssuer(this.config.server.issuer)
      .setIssuedAt()
      .sign(await importJWK(key, alg));
  }
}
