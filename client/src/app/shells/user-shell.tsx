import { Outlet } from 'react-router-dom';
import { useSessionQuery } from '../../api/session.js';
import { SessionEnd } from '../session-end/session-end.js';
import { SessionLost } from '../session-end/session-lost.js';
import { AccountMenu } from './account-menu.js';
import { Bar } from './bar.js';
import styles from './shells.module.css';

/** The area of patients and practitioners. */
export function UserShell() {
  const { data: user } = useSessionQuery();
  return (
    <>
      <Bar home="/user/grants">{user && <AccountMenu user={user} />}</Bar>
      <main id="content" className={styles.userMain} tabIndex={-1}>
        <Outlet />
      </main>
      <SessionEnd />
      <SessionLost />
    </>
  );
}
