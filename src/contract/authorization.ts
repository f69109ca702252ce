/** `GET /api/authorization/ended?returnUrl=…`: an app's request that cannot be gone on with. */
export class EndedAuthorization {
  clientName: string;
  /** Where the app can be started again; null where there is no page to start it from. */
  startUrl: string | null;
  /** The returnUrl of the app's only request that waits in this browser; null when there is none, or several. */
  goesOnAt: string | null;
}

/** `GET /api/authorization?returnUrl=…`: the app's pending request, and its progress. */
export class AuthorizationPlace {
  clientName: string;
  /** Number of the current page, from 1; the first page of a step that has several. */
  step: number;
  /** Total number of pages, as far as is known by now. */
  total: number;
}
