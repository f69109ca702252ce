import './words/en.js';
import { ClockCircleOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formErrors } from '../../api/failures/form-errors.js';
import { useSettings } from '../../api/settings.js';
import { useLostSecondFactorMutation } from '../../api/users/two-factor.js';
import { longMoment } from '../../shared/i18n/dates.js';
import card from '../../shared/ui/forms/card-form.module.css';
import { ErrorList } from '../../shared/ui/forms/error-list.js';
import { HelpDeskContact } from './help-desk-contact.js';
import styles from './two-factor.module.css';

/** The way on for a user who has neither authenticator app nor recovery code, after the password. */
export function LostFactor({
  returnUrl,
  onBack,
  onExpired,
}: {
  returnUrl: string | null;
  onBack: () => void;
  /** The password has to be entered once more; gets the messages of the server. */
  onExpired?: ((errors: string[]) => void) | undefined;
}) {
  const { t } = useTranslation();
  const { lostFactorWaitHours: hours } = useSettings();
  const [begin, { isLoading, data }] = useLostSecondFactorMutation();
  const [errors, setErrors] = useState<string[]>([]);
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus(), []);

  const submit = async () => {
    setErrors([]);
    const { error } = await begin({ returnUrl });
    if (!error) return;
    const { form } = formErrors(error);
    if ('status' in error && error.status === 401 && onExpired) return onExpired(form);
    setErrors(form);
  };

  return (
    <section className={styles.lost}>
      <h2 ref={title} tabIndex={-1}>
        {t('lostFactor.title')}
      </h2>
      <HelpDeskContact />
      {data?.readyAt ? (
        <p className={card.notice} role="status">
          <ClockCircleOutlined aria-hidden />
          <span>{t('lostFactor.running', { at: longMoment(data.readyAt) })}</span>
        </p>
      ) : (
        hours !== null && (
          <>
            <p>{t('lostFactor.orWait', { count: hours })}</p>
            <ErrorList errors={errors} />
            <Button block loading={isLoading} onClick={submit}>
              {t('lostFactor.wait', { count: hours })}
            </Button>
          </>
        )
      )}
      <Button type="link" block className={styles.switch} onClick={onBack}>
        {t('lostFactor.back')}
      </Button>
    </section>
  );
}
