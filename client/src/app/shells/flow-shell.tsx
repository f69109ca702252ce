import { Outlet } from 'react-router-dom';
import { useSessionQuery } from '../../api/session.js';
import { AccountBadge } from './account-badge.js';
import { Bar } from './bar.js';
import styles from './shells.module.css';

/** A step between signing in and returning to the app. The page brings its own action bar. */
export function FlowShell() {
  const { data: user } = useSessionQuery();
  return (
    <div className={styles.flow}>
      <Bar>{user && <AccountBadge user={user} size={36} />}</Bar>
      <main id="content" className={styles.flowMain} tabIndex={-1}>
        <Outlet />
      </main>
    </div>
  );
}
