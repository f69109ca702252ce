import { portalPath } from '../addresses/base-path.js';
import { forgetAllDrafts } from '../drafts/drafts.js';
import { recordSignOut } from './visit.js';

let leaving = false;

// A page that comes back from the browser's memory is not leaving any more.
window.addEventListener('pageshow', (event) => {
  if (event.persisted) leaving = false;
});

/**
 * Leaves the application for an address of the server, once: the callback of an authorization is good for one request,
 * and a second navigation would cancel the first after it has used the callback up. Back does not lead here again.
 */
export function leave(to: string): void {
  if (leaving) return;
  leaving = true;
  window.location.replace(to);
}

/** Signs out; what was kept of forms goes with the session. */
export function signOut(): void {
  forgetAllDrafts();
  recordSignOut();
  window.location.assign(portalPath('/logout'));
}
