import type { ClientSettings } from '../../contract/clients.js';
import type { UserType } from '../../contract/session.js';
import type { LaunchSources } from './launch.js';

/** The client that asks. */
export interface AuthorizingClient {
  clientId: string;
  clientName: string;
  settings: ClientSettings;
}

/** An authorization on its way: what a step needs to know, in the product's words. */
export interface Authorization {
  client: AuthorizingClient;
  accountId: string;
  /** Names this very sign-in: another one each time the person signs in. */
  signIn: string;
  userType: UserType;
  /** The person's own record, `{Type}/{id}`. */
  fhirUser: string | undefined;
  /** Id of the tenant whose FHIR base the app asked for. */
  tenant: string | undefined;
  /**
   * What can be granted of what was asked for, in the order it was asked. Up to the launch-context step it may hold what
   * depends on a choice that is still to be made.
   */
  scopes: string[];
  /** What is known of the launch context so far. */
  launch: LaunchSources;
  redirectUri: string;
  /** The app asked to have the person decide again (`prompt=consent`). */
  consentRequested: boolean;
}
