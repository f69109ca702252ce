import type { ClientSettings } from '../../contract/clients.js';
import type { UserType } from '../../contract/session.js';

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
  userType: UserType;
  /** What can be granted of what was asked for, in the order it was asked. */
  scopes: string[];
  redirectUri: string;
  /** The app asked to have the person decide again (`prompt=consent`). */
  consentRequested: boolean;
}
