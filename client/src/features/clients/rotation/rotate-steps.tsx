import { CheckCircleFilled, ClockCircleOutlined, CopyOutlined, LoadingOutlined } from '@ant-design/icons';
import { Button, Checkbox, Input, Radio } from 'antd';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ClientSecretView } from '../../../../../src/contract/clients/clients.js';
import type { RotatedSecret, SecretRotation } from '../../../../../src/contract/clients/secret-rotation.js';
import { copy } from '../../../shared/copy.js';
import { inDays, longDate } from '../../../shared/i18n/dates.js';
import { Banner } from '../../../shared/ui/layout/banner.js';
import { Badge } from '../../../shared/ui/marks/badge.js';
import { endOfDay, localDay } from '../form/state/secret-draft.js';
import styles from './rotate-secret.module.css';
import './words/en.js';

const day = (iso: string) => longDate(iso).date;

export function useSecretName(): (secret: { description: string | null }) => string {
  const { t } = useTranslation();
  return ({ description }) => description || t('secretRotation.unnamed');
}

/** The step that selects the secret to replace, if there are several. */
export function MakeStep({
  secrets,
  chosen,
  onChoose,
}: {
  secrets: readonly ClientSecretView[];
  chosen: string | null;
  onChoose: (id: string) => void;
}) {
  const { t } = useTranslation();
  const nameOf = useSecretName();
  const label = useId();
  if (secrets.length < 2) return null;
  return (
    <>
      <p id={label} className={styles.label}>
        {t('secretRotation.replaces')}
      </p>
      <Radio.Group
        className={styles.choices}
        aria-labelledby={label}
        value={chosen ?? secrets[0]?.id}
        options={secrets.map((secret) => ({ value: secret.id, label: nameOf(secret) }))}
        onChange={({ target }) => onChoose(target.value as string)}
      />
    </>
  );
}

/** The new secret, which is shown once, and when the two secrets end. */
export function GiveStep({
  rotation,
  secret,
  stored,
  onStored,
  onEnd,
}: {
  rotation: SecretRotation;
  secret: string | null;
  stored: boolean;
  onStored: (stored: boolean) => void;
  onEnd: (oldExpires: string) => void;
}) {
  const { t } = useTranslation();
  const label = useId();
  return (
    <>
      {secret === null ? (
        <Banner tone="warning">{t('secretRotation.notShown')}</Banner>
      ) : (
        <>
          <p id={label} className={styles.label}>
            {t('secretRotation.secret')}
          </p>
          <div className={styles.secret}>
            <output className={styles.value} aria-labelledby={label}>
              {secret}
            </output>
            <Button icon={<CopyOutlined aria-hidden />} onClick={() => copy(secret)}>
              {t('secretRotation.copy')}
            </Button>
          </div>
          <Banner>{t('secretRotation.safely')}</Banner>
        </>
      )}
      <Ends rotation={rotation} onEnd={onEnd} />
      <Checkbox className={styles.stored} checked={stored} onChange={({ target }) => onStored(target.checked)}>
        {t('secretRotation.stored')}
      </Checkbox>
    </>
  );
}

function Ends({ rotation, onEnd }: { rotation: SecretRotation; onEnd: (oldExpires: string) => void }) {
  const { t } = useTranslation();
  const nameOf = useSecretName();
  const [editing, setEditing] = useState(false);
  const { oldSecret, newSecret } = rotation;
  return (
    <>
      <p className={styles.label}>{t('secretRotation.meanwhile')}</p>
      <dl className={styles.ends}>
        <dt>{nameOf(oldSecret)}</dt>
        <dd>
          {editing ? (
            <Input
              type="date"
              className={styles.date}
              aria-label={t('secretRotation.endOfOld', { name: nameOf(oldSecret) })}
              min={localDay(new Date().toISOString())}
              defaultValue={localDay(oldSecret.expires)}
              autoFocus
              onBlur={({ target }) => {
                const end = endOfDay(target.value);
                setEditing(false);
                if (end && target.value !== localDay(oldSecret.expires)) onEnd(end);
              }}
              onPressEnter={({ currentTarget }) => currentTarget.blur()}
            />
          ) : (
            <>
              {oldSecret.expires && (
                <Badge tone="warning" icon={<ClockCircleOutlined aria-hidden />}>
                  {t('secretRotation.oldEnds', { when: inDays(oldSecret.expires), date: day(oldSecret.expires) })}
                </Badge>
              )}
              <Button type="link" onClick={() => setEditing(true)}>
                {t('secretRotation.change')}
              </Button>
            </>
          )}
        </dd>
        <dt>{nameOf(newSecret)}</dt>
        <dd>
          <Badge tone="good">
            {newSecret.expires
              ? t('secretRotation.newEnds', { date: day(newSecret.expires) })
              : t('secretRotation.newStays')}
          </Badge>
        </dd>
      </dl>
    </>
  );
}

/** Waits for the first use of the new secret. */
export function SeeStep({ rotation: { oldSecret, newSecret } }: { rotation: SecretRotation }) {
  const { t } = useTranslation();
  const nameOf = useSecretName();
  const name = nameOf(newSecret);
  const isSeen = newSecret.lastUsed !== null;
  return (
    <>
      <p className={`${styles.state} ${isSeen ? styles.good : ''}`} role="status">
        {isSeen ? <CheckCircleFilled aria-hidden /> : <LoadingOutlined aria-hidden />}{' '}
        {t(isSeen ? 'secretRotation.seen' : 'secretRotation.waiting', { name })}
      </p>
      <LastUse of={oldSecret} />
    </>
  );
}

/** The step that explains and confirms the end of the old secret. */
export function EndStep({ rotation: { oldSecret, newSecret } }: { rotation: SecretRotation }) {
  const { t } = useTranslation();
  const nameOf = useSecretName();
  return (
    <>
      {newSecret.lastUsed === null && (
        <Banner tone="warning">{t('secretRotation.unseen', { name: nameOf(newSecret) })}</Banner>
      )}
      <LastUse of={oldSecret} />
    </>
  );
}

function LastUse({ of: secret }: { of: RotatedSecret }) {
  const { t } = useTranslation();
  const name = useSecretName()(secret);
  return (
    <p className={styles.text}>
      {secret.lastUsed
        ? `${t('secretRotation.oldUsed', { name, ...longDate(secret.lastUsed) })} ${t('secretRotation.hourly')}`
        : t('secretRotation.oldUnused', { name })}
    </p>
  );
}
