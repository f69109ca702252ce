import { useEffect } from 'react';
import { isGone } from '../../api/failures/form-errors.js';
import { useTwoFactorSetupQuery } from '../../api/users/two-factor.js';
import { useSlow } from '../../shared/loading/use-slow.js';
import cardForm from '../../shared/ui/forms/card-form.module.css';
import { LoadFailed } from '../../shared/ui/placeholders/load-failed.js';
import { Skeleton } from '../../shared/ui/placeholders/skeleton.js';
import { Activation } from '../two-factor/activation.js';
import styles from './account-settings.module.css';

/** Sets an authenticator app up, in a dialog (`spec §4` Two-factor). */
export function EnableForm({
  onGone,
  onActivated,
}: {
  onGone: () => void;
  onActivated: (recoveryCodes: string[] | null) => void;
}) {
  const { data: setup, error, isFetching, refetch } = useTwoFactorSetupQuery({ returnUrl: null });
  const slow = useSlow(isFetching && !setup);
  const gone = isGone(error);
  useEffect(() => {
    if (gone) onGone();
  }, [gone, onGone]);

  return (
    <>
      {setup ? (
        <div className={styles.setup}>
          <Activation setup={setup} returnUrl={null} onActivated={onActivated} onGone={onGone} onStale={refetch} />
        </div>
      ) : (
        error && !isFetching && <LoadFailed onRetry={refetch} />
      )}
      {slow && (
        <div aria-hidden="true" className={cardForm.skeleton}>
          <Skeleton width={176} height={176} />
          <Skeleton height={48} />
          <Skeleton height={56} />
          <Skeleton height={48} />
        </div>
      )}
    </>
  );
}
