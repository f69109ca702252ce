import { isUnlimited } from '../../domain/permission.js';
import { Refusal } from '../../domain/refusal.js';
import { namesVersion } from '../../domain/request-headers.js';
import type { AuthorizedRequest } from './authorized-request.js';
import type { Resource } from './separated-answer.js';

/** A resource as it is on the server. */
export interface Current {
  resource: Resource;
  text: string;
  headers: Record<string, string>;
}

/** The headers that bind a change to what was checked. */
export type Binding = Readonly<Partial<Record<'if-match' | 'if-none-match', string>>>;

/**
 * Binds a change to the version that was checked, which is also the one the app means, if it names one (FHIR R4
 * §3.1.0.5).
 */
export function checkedVersion({ resource, headers }: Current, { request, permissions }: AuthorizedRequest): Binding {
  const { versionId } = (resource as { meta?: { versionId?: unknown } }).meta ?? {};
  const version = headers.etag ?? (typeof versionId === 'string' ? `W/"${versionId}"` : undefined);
  // Where all is permitted, only what was there before is looked at.
  if (version === undefined && isUnlimited(permissions)) return {};
  if (version === undefined) {
    throw new Refusal(
      403,
      'not-supported',
      'The FHIR server keeps no versions, so this token cannot change resources.',
    );
  }
  const meant = request.headers['if-match'];
  if (meant !== undefined && !namesVersion(meant, version)) {
    throw new Refusal(412, 'conflict', 'The resource was changed in the meantime. Please read it again.');
  }
  return { 'if-match': version };
}
