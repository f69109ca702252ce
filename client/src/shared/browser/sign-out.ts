import { portalPath } from '../addresses/base-path.js';
import { forgetAllDrafts } from '../drafts/drafts.js';
import { forgetOpened } from './opened-rows.js';
import { recordSignOut } from './visit.js';

/** Signs out; what the browser keeps for the user goes with the session. */
export function signOut(): void {
  forgetAllDrafts();
  forgetOpened();
  recordSignOut();
  window.location.assign(portalPath('/logout'));
}
