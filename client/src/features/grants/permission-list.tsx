import { DownOutlined, UpOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ClientGrant } from '../../../../src/contract/own-record/grants.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import { lazyOverlay } from '../../shared/loading/lazy-overlay.js';
import { whenFocusIsLost } from '../../shared/ui/layout/page-title.js';
import { AccessChips } from '../../shared/ui/marks/access-chips.js';
import { appName } from './app-card.js';
import styles from './grants-page.module.css';
import { type PermissionRow, permissionRows } from './permission-rows.js';
import type { TakeBackPermissionProps } from './take-back-permission-question.js';

/** Asks before one permission of an app is taken back. */
const TakeBackPermissionDialog = lazyOverlay<TakeBackPermissionProps>(
  async () => (await import('./take-back-permission-question.js')).TakeBackPermissionQuestion,
  { seldom: true },
);

/** The permissions of an app, each with the button that takes it back. */
export function PermissionList({ grant, onGone }: { grant: ClientGrant; onGone: () => void }) {
  const { t } = useTranslation();
  const [asked, setAsked] = useState<{ row: PermissionRow; open: boolean } | null>(null);
  const scopes = [...grant.apiGrantData.map(({ scope }) => scope), ...grant.identityScopes];
  const rows = permissionRows(scopes, grant.wildcardTypes);
  const list = useRef<HTMLUListElement>(null);
  const count = rows.length;
  // The permission whose button had the focus is not there any more; it leaves before the question or after it.
  const keepFocus = () => whenFocusIsLost(() => list.current?.focus());
  const shown = useRef(count);
  useEffect(() => {
    if (shown.current !== count) whenFocusIsLost(() => list.current?.focus());
    shown.current = count;
  }, [count]);
  if (count === 0) return <p className={styles.noPermissions}>{t('grants.noPermissions')}</p>;
  return (
    <>
      <ul ref={list} tabIndex={-1} aria-label={t('grants.permissions')} className={styles.permissions}>
        {rows.map((row) => (
          <Permission key={row.key} row={row} grant={grant} onAsk={(what) => setAsked({ row: what, open: true })} />
        ))}
      </ul>
      {asked && (
        <TakeBackPermissionDialog
          key={asked.row.key}
          grant={grant}
          row={asked.row}
          open={asked.open}
          onClose={() => setAsked({ ...asked, open: false })}
          afterClose={keepFocus}
          onGone={onGone}
        />
      )}
    </>
  );
}

function Permission({
  row,
  grant,
  onAsk,
}: {
  row: PermissionRow;
  grant: ClientGrant;
  onAsk: (row: PermissionRow) => void;
}) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  const id = useId();
  const client = isolateName(appName(grant));
  return (
    <li>
      <div className={styles.permissionHead}>
        <span className={styles.permission}>{row.title}</span>
        <AccessChips actions={row.actions} type={row.type} />
      </div>
      {row.description && <span className={styles.permissionHelp}>{row.description}</span>}
      {row.taken && (
        <div className={styles.permissionActions}>
          <Button
            type="link"
            danger
            className={styles.small}
            aria-label={t('grants.takeBackPermission', { what: row.title, client })}
            onClick={() => onAsk(row)}
          >
            {t('grants.takeBack')}
          </Button>
          {row.kinds.length > 0 && (
            <Button
              type="link"
              className={styles.small}
              aria-expanded={open}
              aria-controls={open ? id : undefined}
              icon={open ? <UpOutlined aria-hidden /> : <DownOutlined aria-hidden />}
              iconPlacement="end"
              onClick={() => setOpen(!open)}
            >
              {t('grants.kindByKind')}
            </Button>
          )}
        </div>
      )}
      {open && (
        <ul id={id} className={styles.kinds}>
          {row.kinds.map((kind) => (
            <Permission key={kind.key} row={{ ...kind, description: '' }} grant={grant} onAsk={onAsk} />
          ))}
        </ul>
      )}
    </li>
  );
}
