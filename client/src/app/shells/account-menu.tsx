import { useEffect, useRef, useState } from 'react';
import type { CurrentUser } from '../../../../src/contract/session.js';
import { t } from '../../shared/i18n/i18n.js';
import { useIdle } from '../../shared/loading/use-idle.js';
import { notify } from '../../shared/notices.js';
import type { AccountDropdown } from './account-dropdown.js';
import { AccountTrigger } from './account-trigger.js';

/**
 * The avatar menu: name, role, Account settings and Logout. `compact` shows the avatar alone until it is opened. What a
 * menu is made of comes once the page stands; until then there is its button.
 */
export function AccountMenu({ user, compact }: { user: CurrentUser; compact?: boolean }) {
  const idle = useIdle();
  const [pressed, setPressed] = useState(false);
  /** Between the two halves of a click. Another button in its place would get none of it. */
  const [held, setHeld] = useState(false);
  const focused = useRef(false);
  const [Loaded, setLoaded] = useState<typeof AccountDropdown>();
  const wanted = idle || pressed;

  useEffect(() => {
    if (!wanted) return;
    import('./account-dropdown.js').then(
      ({ AccountDropdown }) => setLoaded(() => AccountDropdown),
      () => {
        if (pressed) notify('error', t('errors.generic'));
        setPressed(false);
      },
    );
  }, [wanted, pressed]);

  const release = () => setHeld(false);
  if (Loaded && !held) return <Loaded user={user} compact={compact} opened={pressed} focused={focused.current} />;
  return (
    <AccountTrigger
      user={user}
      compact={compact}
      onPointerDown={() => setHeld(true)}
      onPointerLeave={release}
      onPointerCancel={release}
      onKeyDown={({ key }) => setHeld(key === ' ')}
      onClick={() => {
        setPressed(true);
        release();
      }}
      onFocus={() => {
        focused.current = true;
      }}
      onBlur={() => {
        focused.current = false;
        release();
      }}
    />
  );
}
