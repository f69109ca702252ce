import type { ClientSettings } from '../../contract/clients/client-settings.js';
import type { UserType } from '../../contract/session.js';
import type { LaunchSources } from './launch.js';

/** The client that requests the authorization. */
export interface AuthorizingClient {
  clientId: string;
  clientName: string;
  settings: ClientSettings;
}

/** An authorization in progress: the facts that a step needs, in the product's terms. */
export interface Authorization {
  client: AuthorizingClient;
  accountId: string;
  /** Identifies this sign-in: a new value each time the user signs in. */
  signIn: string;
  userType: UserType;
  /** The user's own record, `{Type}/{id}`. */
  fhirUser: string | undefined;
  /** Id of the tenant whose FHIR base the client requested. */
  tenant: string | undefined;
  /**
   * Scopes that can be granted, in the order of the request. Up to the launch-context step some may depend on a choice
   * that is still pending.
   */
  scopes: string[];
  /** The launch context known so far. */
  launch: LaunchSources;
  redirectUri: string;
  /** True if the client requested a new decision of the user (`prompt=consent`). */
  consentRequested: boolean;
  /** True if the client permits no page (`prompt=none`). */
  isSilent: boolean;
}
