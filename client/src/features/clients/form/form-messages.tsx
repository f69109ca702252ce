import { CopyOutlined, InfoCircleFilled } from '@ant-design/icons';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import type { ClientField } from '../../../../../src/contract/rules/client-fields.js';
import { copy } from '../../../shared/copy.js';
import { Dialog } from '../../../shared/ui/dialog.js';
import { DraftNotice } from '../../../shared/ui/draft-notice.js';
import { ErrorList } from '../../../shared/ui/error-list.js';
import styles from './form.module.css';
import { Value } from './type-review.js';
import { useClientFormState } from './use-client-form.js';

/** All that is said about the form as a whole. */
export function FormMessages() {
  const { errors, draft, isBroughtBack, discardDraft } = useClientFormState();
  const isWithSecrets = draft.clientSecrets.some(({ id, secret }) => !id && secret === '');
  return (
    <>
      {isBroughtBack && <DraftNotice secrets={isWithSecrets} onDiscard={discardDraft} />}
      <MergeNotice />
      <ErrorList errors={errors} />
      <SecretsQuestion />
    </>
  );
}

/** Somebody else saved first: what was taken over from them, and where the two differ. */
function MergeNotice() {
  const { t } = useTranslation();
  const { merged } = useClientFormState();
  const list = (title: string, fields: ClientField[], kept: boolean) =>
    merged &&
    fields.length > 0 && (
      <>
        <p>{title}</p>
        <ul>
          {fields.map((field) => (
            <li key={field}>
              <span>{t(`clients.fields.${field}`)}</span>
              <span className={styles.beforeAfter}>
                {kept && (
                  <>
                    {t('clientForm.merge.yours')} <Value form={merged.form} field={field} />,{' '}
                  </>
                )}
                {t('clientForm.merge.theirs')} <Value form={merged.stored} field={field} />
              </span>
            </li>
          ))}
        </ul>
      </>
    );
  return (
    <div role="alert">
      {merged && (
        <div className={styles.notice}>
          <InfoCircleFilled aria-hidden />
          <div>
            <p>
              <strong>{t('clientForm.merge.title')}</strong> {t('clientForm.merge.text')}
            </p>
            {list(t('clientForm.merge.kept'), merged.kept, true)}
            {list(t('clientForm.merge.taken'), merged.taken, false)}
          </div>
        </div>
      )}
    </div>
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
