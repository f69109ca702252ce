import type { RewriteLink } from '../../domain/answers/bundle-links.js';
import type { FhirRequest } from '../../domain/fhir-request.js';
import type { Permission } from '../../domain/permission.js';
import type { Place } from '../../domain/references/addresses.js';
import type { ResourceCheck } from '../../domain/step-up.js';
import type { TokenPermissions } from '../../domain/token-permissions.js';
import type { GatewayRequest } from '../server/gateway-request.js';

/** Permissions on a type whose resources link documents. */
export interface LinkingBinaries {
  readonly type: string;
  readonly permissions: readonly Permission[];
  /** As in an {@link AuthorizedRequest}. */
  readonly checkResource?: ResourceCheck | undefined;
}

/** Files of an export that the app cannot be given. */
export interface LostFiles {
  names: readonly string[];
  /** The number of those without their names. */
  more: number;
}

/** A FHIR request that its token permits, with the limits of that. */
export interface AuthorizedRequest {
  readonly request: GatewayRequest;
  readonly token: TokenPermissions;
  /** With all of its parameters, and with the server's addresses in them. */
  readonly fhir: FhirRequest;
  /** The permissions on the requested type; for an operation, those to run it. */
  readonly permissions: readonly Permission[];
  /**
   * True if the token permits only some of the resources that the request is about, or the user's sign-in is enough for
   * some only.
   */
  readonly isLimited: boolean;
  /**
   * Present if the user's sign-in is too weak or too old for resources of some categories: each resource of the answer
   * has to pass it.
   */
  readonly checkResource?: ResourceCheck | undefined;
  /** Present for a limited read of a Binary: resources that may prove that it is permitted. */
  readonly linking?: readonly LinkingBinaries[] | undefined;
  /** True if the token may read this Binary, of now or an earlier version. */
  readonly canReadBinary: (place: Place) => Promise<boolean>;
  /** Rewrites a link of the server to another page into the link for the app. */
  readonly pageLink: RewriteLink;
  /**
   * The link for the app to a further page of `size` matches: the server's address below its base, without the first
   * matches of that.
   */
  readonly pageAfter: (target: string, skip: number, size: number) => string;
  /**
   * Rewrites an address that the server gives to an export into the address for the app; with the key of the export.
   */
  readonly exportLink: (url: string, exported: 'job' | 'file') => { link: string; key: string } | undefined;
  /** The address for the app of a list of files that cannot be fetched, which has their names. */
  readonly lostFilesLink: (names: readonly string[]) => string;
}
