import { errors } from 'oidc-provider';

/** The code or token that was used before. */
interface UsedRecord {
  kind: string;
  clientId?: string | undefined;
  accountId?: string | undefined;
}

/**
 * A code or refresh token that was used before, by a request that was complete before this could be known to its
 * sender: it lost to another one, or a slow node has executed it late. It gets no tokens, and nothing ends.
 */
export class LateDuplicate extends errors.InvalidGrant {
  constructor(
    detail: string,
    readonly used: UsedRecord,
  ) {
    super(detail);
  }
}
