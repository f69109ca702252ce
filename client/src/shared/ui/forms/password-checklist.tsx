import './words/en.js';
import { CheckCircleFilled } from '@ant-design/icons';
import { useTranslation } from 'react-i18next';
import { hasPasswordChecklist, passwordRules } from '../../../../../src/contract/rules/users/password.js';
import type { PasswordSettings } from '../../../../../src/contract/settings.js';
import { translateMessage } from '../../i18n/messages.js';
import styles from './password-checklist.module.css';

/** The rules for a new password, ticked while it is typed; never red, since nothing is wrong with being unfinished. */
export function PasswordChecklist({ password, settings }: { password: string; settings: PasswordSettings }) {
  const { t } = useTranslation();
  if (!hasPasswordChecklist(settings)) return null;
  return (
    <ul id="password-rules" className={styles.rules} aria-label={t('passwordRules.label')} aria-live="polite">
      {passwordRules(password, settings).map(({ text, met }) => (
        <li key={text.code} className={met ? styles.met : undefined}>
          {met ? <CheckCircleFilled className={styles.tick} aria-hidden /> : <span className={styles.ring} />}
          <span aria-hidden>{translateMessage(text)}</span>
          <span className="visually-hidden">
            {t(met ? 'passwordRules.metRule' : 'passwordRules.openRule', { rule: translateMessage(text) })}
          </span>
        </li>
      ))}
    </ul>
  );
}
