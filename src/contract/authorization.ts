/** Why the request of an app cannot be continued, as its page tells the user. */
export type ContinuationFault =
  | 'expired'
  | 'no-cookie'
  | 'other-browser'
  | 'other-sign-in'
  | 'gone'
  | 'cut-address'
  | 'client';

/** `GET /api/authorization/ended?returnUrl=…`: an app's request that cannot be gone on with. */
export class EndedAuthorization {
  /** Null if the request names no enabled client, or none of its redirect URIs. */
  clientName: string | null;
  /** The app's registered address to start it again; null without one. */
  startUrl: string | null;
  /** The returnUrl of the app's newest request that waits in this browser; null when there is none. */
  goesOnAt: string | null;
  /**
   * Why it cannot be continued: `no-cookie`: the browser has no cookie of any request; `other-sign-in`: the user signed
   * in again meanwhile; `gone`: no request waits under the address; `cut-address`: no request can have it; `client`:
   * the client is not registered, or disabled. Null where nothing of the request itself speaks against continuing it.
   */
  reason: ContinuationFault | null;
}

/** The app whose request waits: of a registered client that is enabled, and one of its registered redirect URIs. */
export class FlowApp {
  clientName: string;
  /** Host of the redirect URI, in ASCII. */
  returnHost: string;
}

/** `GET /api/authorization?returnUrl=…`: the app's pending request, and its progress. */
export class AuthorizationPlace extends FlowApp {
  /** Number of the current page, from 1; the first page of a step that has several. */
  step: number;
  /** Total number of pages, as far as is known by now. */
  total: number;
  /** Present at the step of the second factor if the client accepts a passkey only. */
  needsPasskey?: true;
}
