import type { RewriteLink } from '../../domain/bundle-links.js';
import type { FhirRequest } from '../../domain/fhir-request.js';
import type { Permission } from '../../domain/permission.js';
import type { GatewayRequest } from '../server/gateway-request.js';

/** A classified FHIR request with the permissions its token grants. */
export interface AuthorizedRequest {
  fhir: FhirRequest;
  request: GatewayRequest;
  permissions: readonly Permission[];
  /** Types of resources that the answer may have; undefined where the token permits every type. */
  answerTypes: ReadonlySet<string> | undefined;
  /** The search parameters that the server declares for the type. */
  searchParameters: readonly string[];
  /** The token's permissions on the type for another action, by the action's letter in scopes. */
  permissionsTo(action: string): readonly Permission[];
  /**
   * True if the token permits this resource as one that the search includes beside those that it found, by `Type/id`.
   */
  permitsIncluded(resource: { resourceType: string }, found: ReadonlyMap<string, unknown>): boolean;
  /** Rewrites a link of the server to another page into the link for the app. */
  pageLink: RewriteLink;
  /** Rewrites an address that the server gives to an export into the address for the app. */
  exportLink(url: string, exported: 'job' | 'file'): string | undefined;
}
