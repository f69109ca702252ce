import type { FhirRequest } from '../domain/fhir-request.js';
import type { Permission } from '../domain/permission.js';
import type { RewriteLink } from './bundle-links.js';
import type { GatewayRequest } from './gateway-request.js';

/** A request that was understood, with what its token opens for it. */
export interface AuthorizedRequest {
  fhir: FhirRequest;
  request: GatewayRequest;
  permissions: readonly Permission[];
  /** Types of resources that the answer may have; undefined where the token opens every type. */
  answerTypes: ReadonlySet<string> | undefined;
  /** What the server says that it searches the type by. */
  searchParameters: readonly string[];
  /** What the token opens of the type for another action, by its letter in scopes. */
  permissionsTo(action: string): readonly Permission[];
  /** Whether the token opens this resource as one that the search includes beside those that it found, by `Type/id`. */
  permitsIncluded(resource: { resourceType: string }, found: ReadonlyMap<string, unknown>): boolean;
  /** What the app gets for a link of the server to another page. */
  pageLink: RewriteLink;
  /** What the app gets for an address that the server gives to an export. */
  exportLink(url: string, exported: 'job' | 'file'): string | undefined;
}
