import { CloseOutlined, DownOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { type RefObject, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ClientSection } from '../../../../../src/contract/rules/clients/client-fields.js';
import { useMedia } from '../../../shared/browser/use-media.js';
import { StepMark } from '../../../shared/ui/marks/step-mark.js';
import styles from './add-client-dialog.module.css';
import { useClientFormState } from './state/use-client-form.js';
import './words/en.js';

/** Every section with how it stands; on a phone one line, which opens the list. */
export function Steps({ current, onGo }: { current: ClientSection; onGo: (section: ClientSection) => void }) {
  const { t } = useTranslation();
  const { sections, errorCount, isChecked } = useClientFormState();
  const narrow = useMedia('(max-width: 767.98px)');
  const [open, setOpen] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list closes when the step changes; the effect does not read the step
  useEffect(() => setOpen(false), [current]);
  return (
    <nav className={styles.rail} aria-label={t('clientForm.steps')}>
      {narrow && (
        <Button type="text" className={styles.opener} aria-expanded={open} onClick={() => setOpen(!open)}>
          {t('clientForm.step', { number: sections.indexOf(current) + 1, total: sections.length })}
          <DownOutlined aria-hidden />
        </Button>
      )}
      <ol className={styles.steps} hidden={narrow && !open}>
        {sections.map((section, index) => {
          const errors = errorCount(section);
          const isDone = errors === 0 && isChecked(section);
          const look = errors > 0 ? 'wrong' : section === current ? 'current' : isDone ? 'done' : 'open';
          return (
            <li key={section}>
              <button
                type="button"
                className={look === 'open' ? styles.open : undefined}
                aria-current={section === current ? 'step' : undefined}
                onClick={() => onGo(section)}
              >
                <StepMark look={look} number={index + 1} />
                <span>
                  <span className={styles.name}>{t(`clientForm.sectionTitles.${section}`)}</span>
                  {errors > 0 && <span className={styles.errors}>{t('clientForm.errors', { count: errors })}</span>}
                  {isDone && section !== current && <span className="visually-hidden">{t('clientForm.done')}</span>}
                </span>
              </button>
            </li>
          );
        })}
      </ol>
    </nav>
  );
}

/** Number, title and explanation of the shown section. */
export function StepHead({
  section,
  heading,
  onClose,
}: {
  section: ClientSection;
  heading: RefObject<HTMLHeadingElement | null>;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const { sections } = useClientFormState();
  return (
    <div className={styles.head}>
      <p className={styles.step}>
        {t('clientForm.step', { number: sections.indexOf(section) + 1, total: sections.length })}
      </p>
      <h2 ref={heading} tabIndex={-1}>
        {t(`clientForm.sectionTitles.${section}`)}
      </h2>
      <p className={styles.lead}>{t(`clientForm.sections.${section}`)}</p>
      <Button
        type="text"
        className={styles.close}
        icon={<CloseOutlined aria-hidden />}
        aria-label={t('common.close')}
        onClick={onClose}
      />
    </div>
  );
}
