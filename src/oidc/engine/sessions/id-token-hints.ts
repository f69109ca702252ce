import { decodeProtectedHeader } from 'jose';
import type Provider from 'oidc-provider';

type Validate = (jwt: string, client: object) => Promise<object>;

/**
 * Refuses JWTs of another type as an `id_token_hint`: logout tokens and receipts are signed with the same key. The
 * engine does not look at the type (RFC 8725 §3.11), and gives id_tokens none.
 */
export function installIdTokenHints({ IdToken }: Provider): void {
  const engine = IdToken as unknown as { validate: Validate };
  const validate = engine.validate.bind(IdToken);
  Object.defineProperty(IdToken, 'validate', {
    value: async (jwt: string, client: object) => {
      const { typ } = decodeProtectedHeader(jwt);
      if (typ !== undefined && typ !== 'JWT') throw new TypeError(`a JWT of the type ${typ} is not an id_token`);
      return validate(jwt, client);
    },
  });
}
