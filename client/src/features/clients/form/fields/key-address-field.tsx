import { CheckCircleFilled } from '@ant-design/icons';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { useCheckKeysMutation } from '../../../../api/clients/clients.js';
import { formErrors } from '../../../../api/failures/form-errors.js';
import styles from '../form.module.css';
import { CodeInput } from './code-input.js';
import { Field, Wrong } from './field.js';
import '../words/en.js';
import { plainList } from '../../../../shared/i18n/language.js';

/** The address of a client's published keys; it can be tested before saving. */
export function KeyAddressField({
  place,
  problem,
  url,
  onChange,
}: {
  place: string;
  problem: string | undefined;
  url: string;
  onChange: (url: string) => void;
}) {
  const { t } = useTranslation();
  const [check, { data, error, isLoading, originalArgs, reset }] = useCheckKeysMutation();
  const asked = url.trim();
  const found = originalArgs === asked ? data?.keys : undefined;
  const wrong = originalArgs === asked && error ? formErrors(error).form[0] : undefined;
  return (
    <>
      <Field
        place={place}
        label={t('clientForm.secretValue.JwksUrl')}
        help={t('clientForm.help.secretUrl')}
        problem={problem}
      >
        {(control) => (
          <div className={styles.withButtons}>
            <CodeInput
              control={control}
              value={url}
              onChange={({ target }) => {
                reset();
                onChange(target.value);
              }}
            />
            <Button loading={isLoading} disabled={asked === ''} onClick={() => check(asked)}>
              {t('clientForm.fetchNow')}
            </Button>
          </div>
        )}
      </Field>
      <div role="status" className={styles.checked}>
        {wrong && <Wrong>{wrong}</Wrong>}
        {found && (
          <p className={found.length > 0 ? styles.good : styles.help}>
            {found.length > 0 && <CheckCircleFilled aria-hidden />}
            {t('clientForm.keysFound', {
              count: found.length,
              keys: plainList(found.map(({ kid, kty }) => `${kid} (${kty})`)),
            })}
          </p>
        )}
      </div>
    </>
  );
}
