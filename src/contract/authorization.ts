/** `GET /api/authorization?returnUrl=…`: the app's request that waits for the person, and how far they are with it. */
export class AuthorizationPlace {
  clientName: string;
  /** Which page of the way this is, from 1; the first page of a step that has several. */
  step: number;
  /** How many pages there are on the way, as far as is known by now. */
  total: number;
}
