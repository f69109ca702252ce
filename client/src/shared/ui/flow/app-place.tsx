import { lazy, Suspense } from 'react';
import type { FlowApp } from '../../../../../src/contract/authorization.js';
import styles from './app-row.module.css';

/** The page is complete without it. Pages without an app do not load it. */
const AppRow = lazy(() => import('./app-row.js').catch(() => ({ default: () => null })));

/** The place of the app on a page of its flow, from the first moment on: nothing moves when the app is known. */
export function AppPlace({ app }: { app: FlowApp | null | undefined }) {
  return (
    <div className={styles.place}>
      <Suspense fallback={null}>
        <AppRow app={app} />
      </Suspense>
    </div>
  );
}
