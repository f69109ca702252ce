import { CheckCircleOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import type { AppElsewhere, LinkFacts } from '../../../../src/contract/users/account.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import card from '../../shared/ui/forms/card-form.module.css';
import { useFocusOnTitle } from '../../shared/ui/layout/page-title.js';

/** The end of a link whose app's request does not continue in this browser. */
export function Chosen({ facts, app, done }: { facts: LinkFacts; app: AppElsewhere; done: string }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  useFocusOnTitle(true);
  const client = isolateName(app.clientName);
  return (
    <div className={card.instead}>
      <p className={card.notice} role="status">
        <CheckCircleOutlined aria-hidden />
        <span>
          {done} {app.isWaiting && t('choosePassword.goBack', { client })}
        </span>
      </p>
      {app.startUrl && (
        <Button type="primary" block href={app.startUrl}>
          {t('choosePassword.start', { client })}
        </Button>
      )}
      <Button
        type={app.startUrl ? 'text' : 'primary'}
        block
        className={app.startUrl ? card.below : undefined}
        onClick={() => navigate('/login', { replace: true, state: { email: facts.email } })}
      >
        {t('common.goToLogin')}
      </Button>
    </div>
  );
}
