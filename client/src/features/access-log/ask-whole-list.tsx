import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { failureText } from '../../api/failures/form-errors.js';
import { useAskAccountingMutation } from '../../api/own-record/requests.js';
import { ErrorList } from '../../shared/ui/forms/error-list.js';
import styles from './access-log-page.module.css';

/** Users see their own accesses to the record of another patient; the whole list is asked of the hospital. */
export function AskWholeList({ patient }: { patient: string }) {
  const { t } = useTranslation();
  const [ask, { data, error, isLoading }] = useAskAccountingMutation();
  return (
    <div className={styles.whole}>
      {data ? (
        <p role="status">
          {t('accessLog.wholeAsked', { reference: data.reference })}{' '}
          <Link to={`/user/family/requests/${data.id}`}>{t('accessLog.wholeOpen')}</Link>
        </p>
      ) : (
        <>
          <p>{t('accessLog.wholeText')}</p>
          <Button loading={isLoading} onClick={() => void ask({ patient: patient.replace('Patient/', '') })}>
            {t('accessLog.wholeAsk')}
          </Button>
          <ErrorList errors={failureText(error)} />
        </>
      )}
    </div>
  );
}
