import { Button } from 'antd';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { UserSecondFactor } from '../../../../src/contract/users/helpdesk.js';
import type { UserView } from '../../../../src/contract/users/users.js';
import { longDate } from '../../shared/i18n/dates.js';
import { plainList } from '../../shared/i18n/language.js';
import { lazyOverlay } from '../../shared/loading/lazy-overlay.js';
import { notify } from '../../shared/notices.js';
import { Fact } from '../../shared/ui/text/facts.js';
import type { ResetFactorProps } from './reset-factor-dialog.js';
import styles from './user-help.module.css';

const ResetFactorDialog = lazyOverlay<ResetFactorProps>(
  async () => (await import('./reset-factor-dialog.js')).ResetFactorDialog,
  { seldom: true },
);

/** The user's second factor, and the button that resets it. */
export function SecondFactor({
  user,
  factor,
  passkeys,
  hasNoPassword,
  onChange,
  onGone,
}: {
  user: UserView;
  factor: UserSecondFactor | null;
  /** Their number. */
  passkeys: number;
  hasNoPassword: boolean;
  onChange: () => void;
  onGone: () => void;
}) {
  const { t } = useTranslation();
  const [asking, setAsking] = useState(false);
  const place = useRef<HTMLSpanElement>(null);
  const isReset = useRef(false);
  return (
    <Fact label={t('helpdesk.secondFactor')}>
      <span ref={place} tabIndex={-1} className={styles.state}>
        {plainList([
          ...(factor ? [t('helpdesk.authenticator', { date: longDate(factor.since).date })] : []),
          ...(passkeys > 0 ? [t('helpdesk.passkeys', { count: passkeys })] : []),
          ...(hasNoPassword ? [t('helpdesk.noPassword')] : []),
        ]) || t('helpdesk.noSecondFactor')}
      </span>
      {(factor || passkeys > 0) && (
        <>
          {factor && (
            <span className={styles.note}>{t('helpdesk.recoveryCodes', { count: factor.recoveryCodesLeft })}</span>
          )}
          <div>
            <Button
              danger
              type="text"
              size="small"
              className={styles.inText}
              aria-label={t('helpdesk.resetFactor')}
              onClick={() => setAsking(true)}
            >
              {t('helpdesk.reset')}
            </Button>
          </div>
        </>
      )}
      <ResetFactorDialog
        user={user}
        hasNoPassword={hasNoPassword}
        open={asking}
        onClose={() => setAsking(false)}
        onGone={() => {
          setAsking(false);
          onGone();
        }}
        onDone={() => {
          setAsking(false);
          isReset.current = true;
          notify('success', t('helpdesk.resetDone'));
          onChange();
        }}
        // Its button disappears with the factor.
        afterClose={() => {
          if (isReset.current) place.current?.focus();
          isReset.current = false;
        }}
      />
    </Fact>
  );
}
