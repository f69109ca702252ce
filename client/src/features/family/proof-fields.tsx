import type { CurrentUser } from '../../../../src/contract/session.js';
import { useDeletionFactsQuery } from '../../api/own-record/own-data.js';
import { ConfirmAtProvider } from '../account-settings/confirm-at-provider.js';
import { CurrentPasswordField } from '../two-factor/current-password-field.js';
import '../account-settings/words/en.js';

/**
 * The proof of the user in a form: the password or a passkey; for a user of another provider the way there and back,
 * once the portal has asked for it.
 */
export function ProofFields({ user, isNeeded = true }: { user: CurrentUser; isNeeded?: boolean }) {
  if (!isNeeded) return null;
  return user.isExternal ? <AtProvider /> : <CurrentPasswordField user={user} takesFocus />;
}

function AtProvider() {
  const { data } = useDeletionFactsQuery(undefined, { refetchOnMountOrArgChange: true });
  return data ? <ConfirmAtProvider provider={data.provider} open="" /> : null;
}
