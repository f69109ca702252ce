import '../passkeys/words/en.js';
import { LaptopOutlined, MobileOutlined, MoreOutlined, PlusOutlined, UsbOutlined } from '@ant-design/icons';
import { Button, Dropdown } from 'antd';
import { type ComponentType, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { CurrentUser } from '../../../../src/contract/session.js';
import type { OwnPasskey, OwnPasskeys, PasskeyKind } from '../../../../src/contract/users/passkeys.js';
import { isGone } from '../../api/failures/form-errors.js';
import { usePasskeysQuery } from '../../api/users/passkeys.js';
import { supportsPasskeys } from '../../shared/browser/passkey-support.js';
import { useMedia } from '../../shared/browser/use-media.js';
import { longDate } from '../../shared/i18n/dates.js';
import { numeral } from '../../shared/i18n/language.js';
import { useSlow } from '../../shared/loading/use-slow.js';
import { notify } from '../../shared/notices.js';
import card from '../../shared/ui/layout/card.module.css';
import { Section } from '../../shared/ui/layout/section.js';
import { Badge } from '../../shared/ui/marks/badge.js';
import { LoadFailed } from '../../shared/ui/placeholders/load-failed.js';
import { Skeleton } from '../../shared/ui/placeholders/skeleton.js';
import { PasskeyIcon } from '../passkeys/passkey-icon.js';
import styles from '../passkeys/passkeys.module.css';
import { AddPasskeyDialog, OnlyWayInDialog, RemovePasskeyDialog, RenamePasskeyDialog } from './passkey-dialogs.js';
import { RecoveryCodes, RunningRecovery } from './recovery-codes.js';

const icons: Record<PasskeyKind, ComponentType> = {
  phone: MobileOutlined,
  laptop: LaptopOutlined,
  'security-key': UsbOutlined,
  other: PasskeyIcon,
};

type Open = { dialog: 'add' } | { dialog: 'rename' | 'remove'; passkey: OwnPasskey } | null;

/** The passkeys of a user who signs in here and not at an external provider. */
export function Passkeys({ user, onGone }: { user: CurrentUser; onGone: () => void }) {
  const { t } = useTranslation();
  const { data, isError, error, isFetching, refetch } = usePasskeysQuery(undefined, {
    refetchOnMountOrArgChange: true,
  });
  const slow = useSlow(isFetching && !data);
  const [open, setOpen] = useState<Open>(null);
  /** The user has stopped the making of a passkey, which has changed nothing. */
  const [stopped, setStopped] = useState(false);
  const close = () => setOpen(null);
  if (isGone(error)) onGone();
  const add = () => {
    setStopped(false);
    setOpen({ dialog: 'add' });
  };
  const done = (text: string) => {
    close();
    notify('success', text);
  };
  return (
    <Section title={t('passkeys.title')} help={t('passkeys.help')}>
      <div className={card.card}>
        {!data && isError && !isFetching && <LoadFailed onRetry={refetch} />}
        {slow && (
          <div className={styles.empty} aria-hidden="true">
            <Skeleton width="40%" />
          </div>
        )}
        {data && data.passkeys.length > 0 && <RunningRecovery />}
        {data && data.passkeys.length === 0 && <p className={styles.empty}>{t('passkeys.empty')}</p>}
        {data && data.passkeys.length > 0 && (
          <ul className={styles.list}>
            {data.passkeys.map((passkey) => (
              <PasskeyRow key={passkey.id} passkey={passkey} onOpen={(dialog) => setOpen({ dialog, passkey })} />
            ))}
          </ul>
        )}
        {data && data.passkeys.length > 0 && <RecoveryCodes user={user} asksPassword={data.currentPasswordRequired} />}
        {data && <Foot own={data} stopped={stopped} onAdd={add} />}
      </div>
      {open?.dialog === 'add' && data && (
        <AddPasskeyDialog
          user={user}
          asksPassword={data.currentPasswordRequired}
          onClose={close}
          onStopped={() => {
            close();
            setStopped(true);
          }}
          onDone={() => done(t('passkeys.added'))}
        />
      )}
      {open?.dialog === 'rename' && (
        <RenamePasskeyDialog passkey={open.passkey} onClose={close} onDone={() => done(t('passkeys.renamed'))} />
      )}
      {open?.dialog === 'remove' && data && isOnlyWayIn(data) && (
        <OnlyWayInDialog passkey={open.passkey} onClose={close} />
      )}
      {open?.dialog === 'remove' && data && !isOnlyWayIn(data) && (
        <RemovePasskeyDialog
          user={user}
          passkey={open.passkey}
          asksPassword={data.currentPasswordRequired}
          isLast={data.passkeys.length === 1}
          onClose={close}
          onDone={() => done(t('passkeys.removed'))}
        />
      )}
    </Section>
  );
}

const isOnlyWayIn = ({ passkeys, hasPassword }: OwnPasskeys) => passkeys.length === 1 && !hasPassword;

function Foot({ own: { passkeys, limit }, stopped, onAdd }: { own: OwnPasskeys; stopped: boolean; onAdd: () => void }) {
  const { t } = useTranslation();
  const isFull = passkeys.length >= limit;
  const text = isFull ? 'passkeys.fullOf' : 'passkeys.countOf';
  return (
    <div className={styles.foot}>
      <span className={styles.fact}>
        <span id="passkey-count">{t(text, { count: limit, used: numeral(passkeys.length) })}</span>
        <span role="status" className={styles.text}>
          {stopped && t('passkeys.stopped')}
        </span>
      </span>
      {supportsPasskeys() ? (
        <Button
          type="primary"
          icon={<PlusOutlined aria-hidden />}
          disabled={isFull}
          aria-describedby="passkey-count"
          onClick={onAdd}
        >
          {t('passkeys.add')}
        </Button>
      ) : (
        <span>{t('passkeys.unsupported')}</span>
      )}
    </div>
  );
}

function PasskeyRow({ passkey, onOpen }: { passkey: OwnPasskey; onOpen: (dialog: 'rename' | 'remove') => void }) {
  const { t } = useTranslation();
  const isPhone = useMedia('(max-width: 575.98px)');
  const { name, kind, createdAt, lastUsedAt, isThisSignIn, maybeCloned } = passkey;
  const DeviceIcon = icons[kind];
  return (
    <li>
      <span className={styles.device} aria-hidden>
        <DeviceIcon />
      </span>
      <span className={styles.fact}>
        <span className={styles.name}>
          <span>{name}</span>
          {isThisSignIn && <Badge tone="accent">{t('passkeys.thisSignIn')}</Badge>}
          {lastUsedAt === null && <Badge tone="warning">{t('passkeys.neverUsed')}</Badge>}
          {maybeCloned && <Badge tone="warning">{t('passkeys.maybeCopied')}</Badge>}
        </span>
        {maybeCloned && <span className={styles.text}>{t('passkeys.copiedHelp')}</span>}
        {lastUsedAt !== null && (
          <span className={styles.text}>{t('passkeys.lastUsed', { date: longDate(lastUsedAt).date })}</span>
        )}
        <span className={styles.text}>{t('passkeys.created', { date: longDate(createdAt).date })}</span>
      </span>
      {isPhone ? (
        <RowMenu name={name} onOpen={onOpen} />
      ) : (
        <span className={styles.actions}>
          <Button type="link" aria-label={t('passkeys.renameOf', { name })} onClick={() => onOpen('rename')}>
            {t('passkeys.rename')}
          </Button>
          <Button type="link" danger aria-label={t('passkeys.removeOf', { name })} onClick={() => onOpen('remove')}>
            {t('passkeys.remove')}
          </Button>
        </span>
      )}
    </li>
  );
}

function RowMenu({ name, onOpen }: { name: string; onOpen: (dialog: 'rename' | 'remove') => void }) {
  const { t } = useTranslation();
  const opener = useRef<HTMLButtonElement>(null);
  return (
    <Dropdown
      trigger={['click']}
      menu={{
        items: [
          { key: 'rename', label: t('passkeys.rename') },
          { key: 'remove', label: t('passkeys.remove'), danger: true },
        ],
        onClick: ({ key }) => {
          opener.current?.focus();
          onOpen(key as 'rename' | 'remove');
        },
      }}
    >
      <Button
        ref={opener}
        type="text"
        icon={<MoreOutlined aria-hidden />}
        aria-label={t('passkeys.actionsOf', { name })}
      />
    </Dropdown>
  );
}
