import { portalPath } from '../addresses/base-path.js';
import { forgetAllDrafts } from '../drafts/drafts.js';
import { forgetOpened } from './opened-rows.js';
import { recordSignOut } from './visit.js';

/** Signs out; what the browser keeps for the user goes with the session. `page` comes afterwards, else the sign-in. */
export function signOut(page?: '/invitation'): void {
  forgetAllDrafts();
  forgetOpened();
  recordSignOut();
  window.location.assign(portalPath(page ? `/logout?continue=${page}` : '/logout'));
}
