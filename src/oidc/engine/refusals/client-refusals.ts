import { Injectable } from '@nestjs/common';
import type { errors, KoaContextWithOIDC } from 'oidc-provider';
import { RegisteredClients, type RegisteredCredentials } from '../../../clients/application/registered-clients.js';
import { note } from '../../../platform/activity/launch-notes.js';
import { AssertionRefusals } from './assertion-refusals.js';
import { dayOf, type Presented, presentedBy } from './presented-credentials.js';

const unreadable = [
  'invalid authorization header value format',
  'client_id and client_secret in the authorization header are not properly encoded',
  'client_secret must be provided in the Authorization header',
];

/** Notes why a client could not authenticate. Called for refused requests only. */
@Injectable()
export class ClientRefusals {
  constructor(
    private readonly clients: RegisteredClients,
    private readonly assertions: AssertionRefusals,
  ) {}

  /** False if the error is not about the client's credentials. */
  async note(ctx: KoaContextWithOIDC, error: errors.OIDCProviderError): Promise<boolean> {
    const presented = presentedBy(ctx);
    if (error.message === 'invalid_client') {
      await this.noteUnauthenticated(ctx, presented, error.error_detail ?? '');
      return true;
    }
    return noteMalformed(error.error_description ?? '', presented);
  }

  private async noteUnauthenticated(ctx: KoaContextWithOIDC, presented: Presented, detail: string): Promise<void> {
    const { clientId = '', secret, assertion } = presented;
    const registered = await this.clients.credentialsOf(clientId, secret);
    if (ctx.status === 429) note('token-secrets-throttled', { seconds: ctx.response.get('Retry-After') });
    else if (!registered) note('token-client-unknown', { clientId });
    else if (!registered.enabled) note('token-client-disabled', { clientId });
    else if (secret !== undefined) noteSecret(presented, registered);
    else if (assertion !== undefined && hasKeys(registered)) this.assertions.note(ctx, assertion, registered, detail);
    else noteMethod(presented, registered);
  }
}

function noteMalformed(description: string, { used, hasCredentials }: Presented): boolean {
  if (description === 'client authentication must only be provided using one mechanism') {
    note('token-authentication-twice', { used });
  } else if (unreadable.includes(description)) {
    note('token-credentials-unreadable', { reason: description });
  } else if (description === 'client_id mismatch') {
    note('token-client-differs');
  } else if (description === 'no client authentication mechanism provided' && !hasCredentials) {
    note('token-client-missing');
  } else if (/^(invalid client_assertion format|client_assertion_type must)/.test(description)) {
    note('assertion-unreadable', { reason: description });
  } else {
    return false;
  }
  return true;
}

function noteSecret(presented: Presented, registered: RegisteredCredentials): void {
  const now = new Date();
  const expired = registered.presented;
  if (expired?.expiresAt && expired.expiresAt <= now) {
    note('token-secret-expired', { secret: expired.description ?? '', expired: dayOf(expired.expiresAt) });
    return;
  }
  const secrets = registered.credentials.filter(({ secretType }) => secretType === 'SharedSecret');
  if (secrets.length === 0) noteMethod(presented, registered);
  else note('token-secret-wrong', { count: secrets.filter((secret) => secret.isLive(now)).length });
}

function noteMethod({ used }: Presented, { isPublic, credentials }: RegisteredCredentials): void {
  const live = credentials.filter((credential) => credential.isLive(new Date()));
  const methods = [
    ...(live.some(({ secretType }) => secretType === 'SharedSecret')
      ? ['client_secret_basic, client_secret_post']
      : []),
    ...(live.some(({ secretType }) => secretType === 'JWK') ? ['private_key_jwt'] : []),
  ];
  const registered = isPublic ? 'none (a public client)' : methods.join(', ') || 'no credential that is still valid';
  note('token-authentication-method', { used, registered });
}

function hasKeys({ credentials }: RegisteredCredentials): boolean {
  return credentials.some(({ secretType }) => secretType === 'JWK');
}
