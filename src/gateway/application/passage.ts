import type { Allowance } from '../domain/allowance.js';
import type { FhirRequest } from '../domain/fhir-request.js';
import type { RewriteLink } from './bundle-links.js';
import type { GatewayRequest } from './gateway-request.js';

/** A request that was understood, with what its token opens for it. */
export interface Passage {
  fhir: FhirRequest;
  request: GatewayRequest;
  allowances: readonly Allowance[];
  /** Types of resources that the answer may have; undefined where the token opens every type. */
  answerTypes: ReadonlySet<string> | undefined;
  /** What the server says that it searches the type by. */
  searchParameters: readonly string[];
  /** What the token opens of the type for another action, by its letter in scopes. */
  allowedTo(action: string): readonly Allowance[];
  /** Whether the token opens this resource as one that the search includes beside those that it found, by `Type/id`. */
  opensIncluded(resource: { resourceType: string }, found: ReadonlyMap<string, unknown>): boolean;
  /** What the app gets for a link of the server to another page. */
  pageLink: RewriteLink;
  /** What the app gets for an address that the server gives to an export. */
  exportLink(url: string, exported: 'job' | 'file'): string | undefined;
}
