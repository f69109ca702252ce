import { useTranslation } from 'react-i18next';
import { useResetPasswordMutation } from '../../api/users/account.js';
import { ChoosePassword } from './choose-password.js';
import './words/en.js';

export function ResetPasswordPage() {
  const { t } = useTranslation();
  const [reset] = useResetPasswordMutation();
  const texts = {
    title: t('choosePassword.resetTitle'),
    lead: t('choosePassword.resetLead'),
    submit: t('choosePassword.resetSubmit'),
    done: t('choosePassword.resetDone'),
    wayOn: { label: t('choosePassword.newLink'), page: '/password/forgot' },
  } as const;
  return <ChoosePassword purpose="password-reset" texts={texts} send={reset} />;
}
