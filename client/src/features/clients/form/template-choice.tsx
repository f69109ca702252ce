import { CloseOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { ClientForm } from '../../../../../src/contract/clients/clients.js';
import { defaultClientForm } from '../../../../../src/contract/rules/clients/client-fields.js';
import { clientTemplates, formOfTemplate } from '../../../../../src/contract/rules/clients/client-templates.js';
import styles from './template-choice.module.css';
import './words/en.js';

/** The kinds of clients that a new one can begin with. */
export function TemplateChoice({
  focused,
  onChoose,
  onClose,
}: {
  /** The user comes back to it: the button that was pressed is gone. */
  focused: boolean;
  onChoose: (start: ClientForm) => void;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const kinds = useRef<HTMLUListElement>(null);
  useEffect(() => {
    if (focused) kinds.current?.querySelector('button')?.focus();
  }, [focused]);
  return (
    <div className={styles.choice}>
      <Button
        type="text"
        className={styles.close}
        icon={<CloseOutlined aria-hidden />}
        aria-label={t('common.close')}
        onClick={onClose}
      />
      <h2>{t('clientAdd.question')}</h2>
      <p className={styles.lead}>{t('clientAdd.lead')}</p>
      <ul ref={kinds} className={styles.kinds}>
        {clientTemplates.map((template) => (
          <li key={template}>
            <button type="button" className={styles.kind} onClick={() => onChoose(formOfTemplate(template))}>
              <strong>{t(`clientAdd.templates.${template}.title`)}</strong>
              <span>{t(`clientAdd.templates.${template}.text`)}</span>
              <span className={styles.sets}>{t(`clientAdd.templates.${template}.sets`)}</span>
            </button>
          </li>
        ))}
        <li>
          <button type="button" className={styles.kind} onClick={() => onChoose(defaultClientForm())}>
            <strong>{t('clientAdd.none.title')}</strong>
            <span>{t('clientAdd.none.text')}</span>
          </button>
        </li>
      </ul>
    </div>
  );
}
