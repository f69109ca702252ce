import { InfoCircleFilled } from '@ant-design/icons';
import { Radio } from 'antd';
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import styles from './conflict-notice.module.css';
import './words/en.js';

export type Side = 'mine' | 'theirs';

interface Conflicting {
  field: string;
  label: string;
  mine: ReactNode;
  theirs: ReactNode;
  /** The side whose values the form holds, and so saves. */
  wins: Side;
}

/**
 * Over a form that could not be saved because another administrator saved first: what was taken over from them, and
 * where the two differ, to be chosen from. It takes the focus with each new `conflict`, or it would lie above what is
 * seen.
 */
export function ConflictNotice({
  conflict,
  kept,
  taken,
  onChoose,
}: {
  conflict: object;
  kept: Conflicting[];
  taken: Pick<Conflicting, 'field' | 'label' | 'theirs'>[];
  onChoose: (field: string, side: Side) => void;
}) {
  const { t } = useTranslation();
  const title = useId();
  const place = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new conflict takes the focus; the effect does not read it
  useEffect(() => {
    place.current?.focus();
    place.current?.scrollIntoView({ block: 'start' });
  }, [conflict]);
  return (
    <section ref={place} className={styles.notice} tabIndex={-1} aria-labelledby={title}>
      <InfoCircleFilled aria-hidden />
      <div>
        <p>
          <strong id={title}>{t('conflict.user')}</strong> {t('conflict.text')}
        </p>
        {kept.map(({ field, label, mine, theirs, wins }) => (
          <fieldset key={field} className={styles.choice}>
            <legend>{label}</legend>
            <Radio.Group
              aria-label={label}
              className={styles.sides}
              value={wins}
              onChange={({ target }) => onChoose(field, target.value as Side)}
            >
              <Radio value="mine">
                {t('conflict.mine')} <bdi className={styles.value}>{mine}</bdi>
              </Radio>
              <Radio value="theirs">
                {t('conflict.theirs')} <bdi className={styles.value}>{theirs}</bdi>
              </Radio>
            </Radio.Group>
          </fieldset>
        ))}
        {taken.length > 0 && (
          <>
            <p className={styles.taken}>{t('conflict.taken')}</p>
            <ul>
              {taken.map(({ field, label, theirs }) => (
                <li key={field}>
                  {label}: <bdi className={styles.value}>{theirs}</bdi>
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </section>
  );
}
