import '../passkeys/words/en.js';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import type { Path } from '../../../../src/contract/rules/pages.js';
import { isGone } from '../../api/failures/form-errors.js';
import { useSessionQuery } from '../../api/session.js';
import { usePasskeysQuery } from '../../api/users/passkeys.js';
import { supportsPasskeys } from '../../shared/browser/passkey-support.js';
import card from '../../shared/ui/forms/card-form.module.css';
import { NotFoundDialog } from '../../shared/ui/overlays/not-found-dialog.js';
import { LoadFailed } from '../../shared/ui/placeholders/load-failed.js';
import { HelpDeskContact } from './help-desk-contact.js';
import { PasskeyFactor } from './passkey-factor.js';
import styles from './two-factor.module.css';

const settings: Path = '/user/account-settings';

/** The client accepts a passkey only: asks for it, or says how to get one. */
export function RequiredPasskey({ returnUrl, onVerified }: { returnUrl: string; onVerified: () => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { data: user } = useSessionQuery();
  const { data: own, error, isFetching, refetch } = usePasskeysQuery(undefined, { skip: !user || user.isExternal });
  if (user?.isExternal) return <p className={card.lead}>{t('twoFactor.passkeyExternal')}</p>;
  if (isGone(error)) return <NotFoundDialog text={t('gone.general')} />;
  if (error && !isFetching) return <LoadFailed onRetry={refetch} />;
  if (!own) return null;
  if (own.passkeys.length === 0) {
    return (
      <>
        <p className={card.lead}>{t('twoFactor.passkeyNone')}</p>
        <Button block onClick={() => navigate(settings)}>
          {t('twoFactor.passkeySettings')}
        </Button>
      </>
    );
  }
  if (!supportsPasskeys()) return <p className={card.lead}>{t('twoFactor.passkeyElsewhere')}</p>;
  return (
    <>
      <PasskeyFactor returnUrl={returnUrl} isOnly onVerified={onVerified} />
      <LostPasskey />
    </>
  );
}

/** For a user whose passkeys are not at hand: another one can be added, or the help desk be asked. */
function LostPasskey() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [open, setOpen] = useState(false);
  if (!open) {
    return (
      <Button type="link" block className={styles.switch} onClick={() => setOpen(true)}>
        {t('verification.noPasskey')}
      </Button>
    );
  }
  return (
    <section className={styles.lost}>
      <h2>{t('lostFactor.passkeyTitle')}</h2>
      <p>{t('lostFactor.addPasskey')}</p>
      <Button block onClick={() => navigate(settings)}>
        {t('twoFactor.passkeySettings')}
      </Button>
      <HelpDeskContact />
    </section>
  );
}
