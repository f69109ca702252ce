import '../../shared/fonts/jetbrains-mono.css';
import { Outlet } from 'react-router-dom';
import { useSessionQuery } from '../../api/session.js';
import { SessionEnd } from '../session-end/session-end.js';
import { SessionLost } from '../session-end/session-lost.js';
import { AccountMenu } from './account-menu.js';
import { AdminNavigation } from './admin-navigation.js';
import { Bar } from './bar.js';
import { PendingChanges } from './pending-changes.js';
import styles from './shells.module.css';
import './words/en.js';

/** The administrators' area. */
export function AdminShell() {
  const { data: user } = useSessionQuery();
  return (
    <>
      <Bar home="/admin/dashboard" dense>
        <AdminNavigation />
        {user && <AccountMenu user={user} compact />}
      </Bar>
      <main id="content" className={styles.adminMain} tabIndex={-1}>
        <PendingChanges />
        <Outlet />
      </main>
      <SessionEnd />
      <SessionLost />
    </>
  );
}
