import { useTranslation } from 'react-i18next';
import { useActivateAccountMutation } from '../../api/users/account.js';
import { ChoosePassword } from './choose-password.js';
import './words/en.js';

export function ActivatePage() {
  const { t } = useTranslation();
  const [activate] = useActivateAccountMutation();
  const texts = {
    title: t('choosePassword.activateTitle'),
    lead: t('choosePassword.activateLead'),
    submit: t('choosePassword.activateSubmit'),
    done: t('choosePassword.activateDone'),
    // A link that was used is the commonest of those that are no longer good.
    wayOn: { label: t('common.goToLogin'), page: '/login' },
  } as const;
  return <ChoosePassword purpose="activation" texts={texts} send={activate} />;
}
