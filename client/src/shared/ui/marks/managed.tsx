import { FileTextOutlined } from '@ant-design/icons';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Banner } from '../layout/banner.js';
import { Badge } from './badge.js';
import styles from './managed.module.css';
import './words/en.js';

export function ManagedBadge() {
  const { t } = useTranslation();
  return <Badge icon={<FileTextOutlined aria-hidden />}>{t('managed.badge')}</Badge>;
}

/** The name of a row in a list, with its marks behind it: that a file manages it is one. */
export function Marked({ managed, children }: { managed: true | undefined; children: ReactNode }) {
  return (
    <span className={styles.marked}>
      {children}
      {managed && <ManagedBadge />}
    </span>
  );
}

/** Explains why a client or user cannot be edited, and what an operator can do. */
export function ManagedNotice({ kind, name }: { kind: 'client' | 'user'; name: string }) {
  const { t } = useTranslation();
  return (
    <div className={styles.notice}>
      <Banner icon={<FileTextOutlined aria-hidden />}>
        {t(`managed.${kind}`)} {t('managed.release')}
        <code className={styles.command} dir="ltr">
          npx gatehouse release {kind} {quoted(name)}
        </code>
      </Banner>
    </div>
  );
}

/** As a shell takes it for one word. */
function quoted(name: string): string {
  return /^[\w.@+-]+$/.test(name) ? name : `'${name.replaceAll("'", `'\\''`)}'`;
}
