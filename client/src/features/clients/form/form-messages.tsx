import { CopyOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { copy } from '../../../shared/copy.js';
import { DraftNotice } from '../../../shared/ui/forms/draft-notice.js';
import { ErrorList } from '../../../shared/ui/forms/error-list.js';
import { Dialog } from '../../../shared/ui/overlays/dialog.js';
import styles from './form.module.css';
import { useClientFormState } from './state/use-client-form.js';
import './words/en.js';

/** The problems and warnings of the form as a whole. */
export function FormMessages() {
  const { errors, draft, isBroughtBack, discardDraft } = useClientFormState();
  const isWithSecrets = draft.clientSecrets.some(({ id, secret }) => !id && secret === '');
  return (
    <>
      {isBroughtBack && <DraftNotice secrets={isWithSecrets} onDiscard={discardDraft} />}
      <ErrorList errors={errors} />
      <SecretsQuestion />
    </>
  );
}

/** The last moment to copy the shared secrets that are new (`spec §4`). */
function SecretsQuestion() {
  const { t } = useTranslation();
  const { asking, draft, proceed, goBack } = useClientFormState();
  const fresh = draft.clientSecrets.filter(({ id, secretType }) => !id && secretType === 'SharedSecret');
  return (
    <Dialog
      open={asking}
      title={t('clientForm.proceedTitle')}
      width={560}
      onClose={goBack}
      actions={
        <>
          <Button onClick={goBack}>{t('common.cancel')}</Button>
          <Button type="primary" onClick={proceed}>
            {t('clientForm.proceed')}
          </Button>
        </>
      }
    >
      <p>{t('clientForm.proceedText')}</p>
      <ul className={styles.fresh}>
        {fresh.map(({ secret, description }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two new secrets may be the same
          <li key={index}>
            {description && <span className={styles.help}>{description}</span>}
            <span className={styles.code}>{secret}</span>
            <Button
              icon={<CopyOutlined aria-hidden />}
              aria-label={t('clientForm.copySecret')}
              onClick={() => copy(secret ?? '')}
            />
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
