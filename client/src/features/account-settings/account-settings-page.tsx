import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSessionQuery } from '../../api/session.js';
import { useSettings } from '../../api/settings.js';
import { wantedChunk } from '../../shared/loading/chunk.js';
import { PageTitle } from '../../shared/ui/layout/page-title.js';
import { NotFoundDialog } from '../../shared/ui/overlays/not-found-dialog.js';
import { Passkeys } from './passkeys.js';
import { Password } from './password.js';
import { PersonalInformation } from './personal-information.js';
import { Sessions } from './sessions.js';
import { TwoFactor } from './two-factor.js';
import './words/en.js';

/** The end of the page, which need not wait for it. */
const OwnData = lazy(async () => ({ default: (await wantedChunk(() => import('./own-data.js'))).OwnData }));

/** One's own account, in both areas; password and second factor of external users belong to their provider. */
export function AccountSettingsPage() {
  const { t } = useTranslation();
  const { data: user } = useSessionQuery();
  const { passkeysAllowed } = useSettings();
  const [gone, setGone] = useState(false);
  if (!user) return null;
  const onGone = () => setGone(true);
  return (
    <>
      <PageTitle>{t('accountSettings.title')}</PageTitle>
      <PersonalInformation user={user} onGone={onGone} />
      {!user.isExternal && (
        <>
          <Password user={user} onGone={onGone} />
          {passkeysAllowed && <Passkeys user={user} onGone={onGone} />}
          <TwoFactor user={user} onGone={onGone} />
        </>
      )}
      <Sessions user={user} onGone={onGone} />
      <Suspense fallback={null}>
        <OwnData user={user} onGone={onGone} />
      </Suspense>
      {gone && <NotFoundDialog text={t('gone.general')} />}
    </>
  );
}
